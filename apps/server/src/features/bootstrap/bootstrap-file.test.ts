import { ConfigError } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { newSecret } from '../../auth/secrets.ts';
import { readBootstrap } from './bootstrap-file.ts';
import { readExpiry } from './token-expiry.ts';

const SECRET = newSecret('api_token');
const USER = { username: 'ada', role: 'master', password: 'hunter2 hunter2 hunter2' };
const TOKEN = { user: 'ada', name: 'ci', token: SECRET };

/** Message of the refusal of a file. */
function refusal(file: unknown): string {
  try {
    readBootstrap(typeof file === 'string' ? file : JSON.stringify(file), () => {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('readBootstrap', () => {
  it('needs neither list', () => {
    expect(readBootstrap('{}')).toEqual({ users: [], tokens: [] });
  });

  it('reads users and tokens, and their secrets from files', () => {
    const files: Record<string, string> = { '/run/password': 'from a file\n', '/run/token': `${SECRET}\r\n` };
    const text = JSON.stringify({
      users: [{ username: 'ada', role: 'viewer', password_file: '/run/password' }],
      api_tokens: [
        { user: 'ada', name: 'ci', token_file: '/run/token', scopes: ['errlog:read'], allowed_cidrs: ['10.0.0.0/8'] },
      ],
    });
    expect(readBootstrap(text, (path) => files[path] ?? '')).toEqual({
      users: [{ username: 'ada', role: 'viewer', password: 'from a file' }],
      tokens: [
        {
          user: 'ada',
          name: 'ci',
          secret: SECRET,
          scopes: ['errlog:read'],
          expire: undefined,
          cidrs: ['10.0.0.0/8'],
        },
      ],
    });
  });

  it.each(
    nonEmpty([
      ['', 'is not valid JSON'],
      ['{"users": [\n  {"password": "hunter2 hunter2 hunter2" "x"}\n]}', 'line 2: is not valid JSON'],
      ['[]', 'must be an object'],
      ['null', 'must be an object'],
      [{ user: [] }, 'user: unknown key'],
      [{ 'hunter2 hunter2 hunter2': 1 }, 'a key: unknown key'],
      [{ users: {} }, 'users: '],
      [{ users: [{ ...USER, email: 'x' }] }, 'users[0].email: unknown key'],
      [{ users: [{ ...USER, role: 'hunter2' }] }, 'users[0].role: '],
      [{ users: [{ ...USER, username: 'a b' }] }, 'users[0].username: '],
      [{ users: [{ username: 'ada', role: 'viewer' }] }, 'users[0]: needs either password or password_file'],
      [{ users: [{ ...USER, password_file: '/x' }] }, 'users[0]: needs either password or password_file'],
      [{ users: [{ ...USER, password: undefined, password_file: '/x' }] }, 'users[0].password_file: names a file that'],
      [{ users: [USER, USER] }, 'users[1].username: occurs twice'],
      [{ api_tokens: [{ ...TOKEN, token: 'hunter2' }] }, 'api_tokens[0].token: is not a secret'],
      [{ api_tokens: [{ ...TOKEN, token: newSecret('session') }] }, 'api_tokens[0].token: is not a secret'],
      [{ api_tokens: [{ ...TOKEN, token: `${SECRET.slice(0, -1)}_` }] }, 'api_tokens[0].token: is not a secret'],
      [{ api_tokens: [{ ...TOKEN, scopes: ['root'] }] }, 'api_tokens[0].scopes[0]: '],
      [{ api_tokens: [{ ...TOKEN, allowed_cidrs: ['10.0.0.0/99'] }] }, 'api_tokens[0].allowed_cidrs[0]: '],
      [{ api_tokens: [{ ...TOKEN, name: 'x'.repeat(201) }] }, 'api_tokens[0].name: '],
      [{ api_tokens: [TOKEN, { ...TOKEN, name: 'other' }] }, 'api_tokens[1].token: occurs twice'],
    ]),
  )('refuses %j with one line that names the place', (file, problem) => {
    const message = refusal(file);
    expect(message).toContain('QUARTERDECK_BOOTSTRAP: ');
    expect(message).toContain(problem);
    expect(message).not.toContain('\n');
    expect(message).not.toContain('hunter2');
    expect(message).not.toContain(SECRET.slice(0, -1));
  });
});

describe('readExpiry', () => {
  const now = Date.UTC(2030, 0, 1);
  const day = 86_400_000;

  it.each([
    [undefined, undefined, 0],
    ['never', undefined, 0],
    ['1d', undefined, now + day],
    ['2030-01-02', undefined, now + day],
    ['2030-01-02T00:00:00Z', undefined, now + day],
    ['2030-01-02T03:00:00+03:00', undefined, now + day],
    [undefined, 30, now + 30 * day],
    ['30d', 30, now + 30 * day],
  ])('reads %s where at most %s days are allowed', (text, max, ms) => {
    expect(readExpiry(text, now, max)).toMatchObject({ ms });
  });

  it.each([
    ['', undefined],
    ['0d', undefined],
    ['-1d', undefined],
    ['1.5d', undefined],
    ['999999d', undefined],
    ['tomorrow', undefined],
    ['2029-12-31', undefined],
    ['2030-02-30', undefined],
    ['2030-01-02 00:00', undefined],
    ['2030-01-02T00:00:00', undefined],
    ['31d', 30],
    ['never', 30],
  ])('refuses %j where at most %s days are allowed', (text, max) => {
    expect(readExpiry(text, now, max)).toHaveProperty('problem');
  });
});
