// Sign-ins and profiles.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { PASSWORD } from '../../server/test/start-api.ts';
import type { Master } from './master.ts';
import { newUser } from './run-cli.ts';

/** Adds the tests, on the server of a master. */
export function testAccount({ api }: Master): void {
  describe('the sign-in', () => {
    it('stores a session that commands use, in a file of the owner, until the sign-out', async () => {
      using user = newUser();
      const login = ['login', api().url, '--profile', 'here', '--username', 'admin', '--password-stdin'];
      const signedIn = await user.run(login, { input: `${PASSWORD}\n` });
      expect(signedIn).toMatchObject({ code: 0, out: '', err: expect.stringContaining('as admin') });
      const file = join(user.folder, 'config', 'credentials.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(signedIn.err).not.toContain(PASSWORD);
      expect((await user.run(['users', 'me', '--jq', '.credential.kind'])).out).toBe('session\n');
      expect((await user.run(['profile', '-o', 'csv', '--columns', 'name,used,username'])).out).toBe(
        'name,used,username\nhere,true,admin\n',
      );
      expect((await user.run(['logout'])).code).toBe(0);
      expect((await user.run(['users', 'me'])).code).toBe(4);
      expect(readFileSync(file, 'utf8')).not.toContain('qd_s_');
    });

    it('stores an API token from standard input', async () => {
      using user = newUser();
      const { token } = await api().admin.apiToken.create({ body: { name: 'stored' } });
      expect(await user.run(['login', api().url, '--token-stdin'], { input: 'nonsense' })).toMatchObject({ code: 4 });
      expect(existsSync(join(user.folder, 'config'))).toBe(false);
      await user.run(['login', api().url, '--token-stdin'], { input: `${token}\n` });
      expect((await user.run(['tokens', 'self', '--jq', '.name'])).out).toBe('stored\n');
    });

    it('sends a token of the environment to no profile that is named', async () => {
      using user = newUser({ url: 'http://127.0.0.1:9', token: 'qd_t_secret' });
      await user.run(['profile', 'add', 'here', api().url]);
      const { err } = await user.run(['users', 'me', '--profile', 'here']);
      expect(err).toContain('A credential is required');
    });
  });

  describe('profiles', () => {
    it('keep the settings of the dashboard', async () => {
      using user = newUser();
      await user.run(['profile', 'add', 'one', 'https://one.example/']);
      const path = join(user.folder, 'config', 'config.toml');
      writeFileSync(path, `theme = "light"\n${readFileSync(path, 'utf8')}color = "red"\n`);
      await user.run(['profile', 'add', 'two', 'https://two.example', '--protected']);
      await user.run(['profile', 'use', 'two']);
      expect(parse(readFileSync(path, 'utf8'))).toEqual({
        theme: 'light',
        profile: 'two',
        profiles: {
          one: { url: 'https://one.example', color: 'red' },
          two: { url: 'https://two.example', protected: true },
        },
      });
      expect((await user.run(['profile', 'remove', 'two'])).code).toBe(0);
      expect(parse(readFileSync(path, 'utf8'))).not.toHaveProperty('profile');
      expect((await user.run(['profile', 'use', 'two'])).code).toBe(2);
      expect((await user.run(['profile', 'add', 'x', 'ftp://x'])).code).toBe(2);
      expect((await user.run(['profile', 'add', '../x', 'https://x'])).code).toBe(2);
    });

    it('keep the comments of the file, or a copy of it', async () => {
      using user = newUser();
      await user.run(['profile', 'add', 'one', 'https://one.example']);
      const path = join(user.folder, 'config', 'config.toml');
      writeFileSync(path, `# mine\n${readFileSync(path, 'utf8')}`);
      expect(await user.run(['profile', 'add', 'two', 'https://two.example'])).toMatchObject({ code: 0 });
      expect(readFileSync(path, 'utf8')).toMatch(/^# mine\n[\s\S]*two\.example/);
      const braces = '# mine\nprofiles = { a = { url = "https://a.example" }, b = { url = "https://b.example" } }\n';
      writeFileSync(path, braces);
      const removed = await user.run(['profile', 'remove', 'a']);
      expect(removed.err).toContain('config.toml.old still has them');
      expect(readFileSync(`${path}.old`, 'utf8')).toBe(braces);
      expect(parse(readFileSync(path, 'utf8'))).toEqual({ profiles: { b: { url: 'https://b.example' } } });
    });

    it('that are read-only refuse every change before it is sent', async () => {
      using user = newUser();
      await user.run(['profile', 'add', 'safe', api().url, '--read-only']);
      const login = ['login', '--profile', 'safe', '--username', 'admin', '--password-stdin'];
      expect(await user.run(login, { input: PASSWORD })).toMatchObject({ code: 0 });
      expect((await user.run(['errors'])).code).toBe(0);
      expect(await user.run(['tokens', 'create'])).toMatchObject({
        code: 4,
        err: expect.stringContaining('read-only'),
      });
      expect(await user.run(['api', 'POST', '/admin-api/api_token'])).toMatchObject({ code: 4 });
    });
  });
}
