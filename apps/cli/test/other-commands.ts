import { describe, expect, it } from 'vitest';
import { inTurn, ok, refuse, startServer } from '../../../packages/sdk/test/start-server.ts';
import type { Master } from './master.ts';
import { newUser } from './run-cli.ts';

/** Adds the tests, on the server of a master. */
export function testOthers({ api, master, run, json }: Master): void {
  describe('exit codes', () => {
    it('tell a script what happened', async () => {
      using nobody = newUser({ url: api().url });
      using viewer = newUser({ url: api().url, token: await viewerToken() });
      using lost = newUser({ url: 'http://127.0.0.1:9' });
      expect((await run('errors get 999999')).code).toBe(5);
      expect(await nobody.run(['errors'])).toMatchObject({
        code: 4,
        err: expect.stringContaining('quarterdeck login'),
      });
      expect((await viewer.run(['users'])).code).toBe(4);
      expect((await lost.run(['errors', '--timeout', '1s'])).code).toBe(69);
      expect((await run('errors list --nonsense')).code).toBe(2);
      expect((await run('errors nonsense')).code).toBe(2);
      expect((await run('nonsense')).code).toBe(2);
      expect((await run('errors --level nonsense')).code).toBe(2);
      expect((await run('errors get')).code).toBe(2);
      expect((await run('errors list -o xml')).code).toBe(2);
      expect((await run('errors --help')).code).toBe(0);
      expect((await run('tokens create --expire 2020-01-01')).code).toBe(1);
      expect((await run('audit verify')).code).toBe(0);
    });

    it('is 3 for a broken audit log', async () => {
      await using server = await startServer(inTurn(ok({ intact: false, checked: 1 })));
      using user = newUser({ url: server.url, token: 'qd_t_x' });
      const { code, out } = await user.run(['audit', 'verify', '--jq', '.intact']);
      expect([code, out]).toEqual([3, 'false\n']);
    });

    it('is 75 where a later try may succeed', async () => {
      await using server = await startServer(refuse('too_many_requests', { 'retry-after': '3600' }));
      using user = newUser({ url: server.url });
      const wrong = ['login', '--username', 'nobody-here', '--password-stdin'];
      expect((await user.run(wrong, { input: 'wrong' })).code).toBe(75);
    });

    async function viewerToken(): Promise<string> {
      const { client } = await api().person('viewer');
      return (await client.apiToken.create({ body: { name: 'viewer' } })).token;
    }
  });

  describe('other commands', () => {
    it('api calls any path with fields or a body', async () => {
      expect((await run('api get /admin-api/user/list -F page_size=1 --jq .meta.count')).out).toMatch(/^\d+\n$/);
      const ran = await run('api POST /admin-api/api_token -F name=by-api -F expire=0 --jq .name');
      expect(ran).toEqual({ code: 0, out: 'by-api\n', err: '' });
      expect((await run('api GET /healthz --envelope --jq .status')).out).toBe('0\n');
      expect((await run('api GET /admin-api/nothing')).code).toBe(5);
      expect(await run('api GET /admin-api/user/list?nmae=x --jq .meta.count')).toMatchObject({
        code: 0,
        err: 'The server has ignored unknown names: nmae\n',
      });
      expect(await run('api GET /admin-api/user/me?nmae=x')).toMatchObject({ code: 2 });
      expect((await run('api PATCH /admin-api/user/me')).code).toBe(2);
      expect((await run('api GET //elsewhere.example')).code).toBe(2);
      expect((await run('api GET /metrics')).out).toContain('quarterdeck_');
    });

    it('doctor finds what is wrong', async () => {
      const checks = await json<{ check: string; result: string }[]>('doctor');
      expect(checks.map(({ check, result }) => `${check} ${result}`)).toEqual([
        ...['server ok', 'reach ok', 'clock ok', 'version ok', 'rights ok'],
      ]);
      using nobody = newUser({ url: api().url });
      expect((await nobody.run(['doctor'])).code).toBe(4);
      using lost = newUser({ url: 'http://127.0.0.1:9' });
      expect(await lost.run(['doctor', '--columns', 'check,result', '-o', 'csv'])).toMatchObject({
        code: 69,
        out: 'check,result\nserver,ok\nreach,failed\n',
      });
    });

    it('events end after --count', async () => {
      const following = run('events --types agent.registered --count 1 -o ndjson');
      // The stream tells nobody that it is open, so agents register until it has seen one.
      let isOver = false;
      void following.finally(() => {
        isOver = true;
      });
      while (!isOver) await api().agent();
      expect(JSON.parse((await following).out)).toMatchObject({ type: 'agent.registered' });
    });

    it('prints nothing of a server that a terminal obeys', async () => {
      const hostile = 'a\u001B]0;title\u0007b';
      const row = { id: 1, [hostile]: hostile };
      await using server = await startServer(
        inTurn(
          ok({ data: [row], meta: { count: 1 } }),
          ok(row),
          ok({ accepted: 0, refused: [{ index: 0, message: hostile }] }),
        ),
      );
      using user = newUser({ url: server.url, token: 'qd_t_x' });
      const shown = [
        await user.run(['api', 'GET', '/any', '-o', 'table'], { columns: 80 }),
        await user.run(['api', 'GET', '/any', '-o', 'csv'], { columns: 80 }),
        await user.run(['errors', 'send', 'line']),
      ];
      for (const { out, err } of shown) {
        expect(`${out}${err}`).toContain('b');
        expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      }
    });

    it('completion knows commands, options and values', async () => {
      const complete = async (...words: string[]) =>
        (await master().run(['__complete', 'bash', ...words])).out.split('\n').filter(Boolean);
      expect(await complete('err')).toEqual(['errors']);
      expect(await complete('errors', 're')).toEqual(['resolve', 'reopen']);
      expect(await complete('errors', '--level-')).toEqual(['--level-max']);
      expect(await complete('errors', 'list', '-o', 'j')).toEqual(['json']);
      expect(await complete('errors', 'list', '--columns', 'first')).toEqual(['first_seen']);
      expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
      expect(await complete('nothing', '')).toEqual([]);
      for (const shell of ['bash', 'zsh', 'fish']) {
        expect(await run(`completion ${shell}`)).toMatchObject({ code: 0, out: expect.stringContaining('__complete') });
      }
      expect(await run('completion tcsh')).toMatchObject({ code: 2 });
    });
  });
}
