// Commands beside a running server: on SQLite the server runs them, on PostgreSQL they open the database themselves.
import { statement } from '@quarterdeck/core/db';
import { createClient, signIn } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { runHere, runProcess } from '../../test/command-line.ts';
import { DIALECT, PASSWORD, startApi, type TestApi } from '../../test/start-api.ts';

const settingsOf = ({ sharing }: TestApi) =>
  Object.fromEntries(Object.entries(sharing).map(([name, value]) => [`QUARTERDECK_${name}`, value]));
const run = (api: TestApi, args: readonly string[], input?: string) => runHere(args, settingsOf(api), input);

it('creates a token that works at once, audited as local', async () => {
  await using api = await startApi();
  const args = ['token', 'create', '--user', 'admin', '--name', 'ci', '--scopes', 'audit:read'];
  const made = await runProcess(args, settingsOf(api));
  expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/^token \d+ of admin, never expires\n$/) });
  const secret = made.out.trim();
  const client = createClient({ url: api.url, apiToken: secret });
  const [entry] = (await client.audit.list({ query: { action: 'api_token.create' } })).data;
  expect(entry?.actor).toEqual({ kind: 'local', id: 0, name: '', credential: '', address: '' });
  expect(await runProcess(['audit', 'verify'], settingsOf(api))).toMatchObject({ code: 0, err: '' });
  expect((await client.audit.verify()).intact).toBe(true);
  expect(JSON.stringify([entry, api.logged])).not.toContain(secret);
});

it('resets a password from standard input, and ends the sessions and streams of the user', async () => {
  await using api = await startApi();
  const { username, token } = await api.person('operator');
  const stream = await fetch(`${api.url}/admin-api/events`, { headers: { 'edge-token': token } });
  expect(stream.status).toBe(200);
  const password = 'a crème brûlée for all of us';
  const args = ['user', 'reset-password', '--password-stdin', username];
  const reset = await runProcess(args, settingsOf(api), `${password}\n`);
  expect(reset).toMatchObject({ code: 0, out: '' });
  await stream.text();
  await expect(createClient({ url: api.url, sessionToken: token }).user.me()).rejects.toMatchObject({ status: 401 });
  expect((await signIn({ url: api.url, username, password })).login.username).toBe(username);
  expect(JSON.stringify([reset, api.logged])).not.toContain(password);
});

it('unlocks a user who is blocked, and resets a second factor', async () => {
  await using api = await startApi();
  const { username, id } = await api.person('viewer');
  const attempt = (password: string) => signIn({ url: api.url, username, password, retries: 0 });
  for (let i = 0; i < 6; i += 1) await expect(attempt('wrong')).rejects.toThrow();
  await expect(attempt(PASSWORD)).rejects.toMatchObject({ status: 429 });
  expect((await run(api, ['user', 'unlock', username])).code).toBe(0);
  expect((await attempt(PASSWORD)).login.username).toBe(username);
  expect((await run(api, ['user', 'reset-2fa', username])).code).toBe(0);
  const { data } = await api.admin.audit.list({ query: { action: 'user' } });
  const local = data.filter(({ actor, target }) => actor.kind === 'local' && target.id === id);
  expect(local.map(({ action }) => action)).toEqual(['user.second_factor_reset', 'user.unlock']);
});

it('shows what retention would delete', async () => {
  await using api = await startApi();
  const { code, out, err } = await run(api, ['errlog', 'retention']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^groups [^\n]+ 0 would be deleted\nlines [^\n]+ 0 would be deleted\n$/);
});

it('tells a broken audit log from a refusal and from wrong usage', async () => {
  await using api = await startApi();
  expect(await run(api, ['user', 'unlock', 'nobody'])).toEqual({
    code: 1,
    out: '',
    err: 'quarterdeckd: there is no user "nobody"\n',
  });
  expect((await run(api, ['token', 'create', '--user', 'admin'])).code).toBe(2);
  expect((await run(api, ['user', 'reset-password', '--password-stdin', 'admin'], 'short')).code).toBe(1);
  const change = statement("UPDATE audit SET actor_kind = 'nobody' WHERE id = ?");
  await api.server.deps.db.write((tx) => tx.sql.run(change, 1));
  const broken = await runProcess(['audit', 'verify'], settingsOf(api));
  expect([broken.code, broken.out]).toEqual([3, '']);
  expect(broken.err).toBe('quarterdeckd: the audit log is broken at entry 1; 0 entries before it fit\n');
});

it.skipIf(DIALECT === 'postgresql')('runs with the settings of the server on SQLite', async () => {
  await using api = await startApi({ TOKEN_MAX_DAYS: '30' });
  const { code, err } = await run(api, ['token', 'create', '--user', 'admin', '--name', 'x', '--expire', 'never']);
  expect([code, err]).toEqual([2, expect.stringContaining('within 30 days')]);
});
