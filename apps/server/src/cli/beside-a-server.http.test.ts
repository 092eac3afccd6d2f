// Commands beside a running server: on SQLite the server runs them, on PostgreSQL they open the database themselves.
import { statement } from '@quarterdeck/core/db';
import { createClient, signIn } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { runHere } from '../../test/command-line.ts';
import { DIALECT, PASSWORD, useApi } from '../../test/start-api.ts';

const api = useApi({ TOKEN_MAX_DAYS: '30' });

/** Runs a command without the server's other settings. */
const run = (args: readonly string[], input?: string) => {
  const { DATA_DIR = '', DATABASE_URL = '' } = api.sharing;
  return runHere(args, { QUARTERDECK_DATA_DIR: DATA_DIR, QUARTERDECK_DATABASE_URL: DATABASE_URL }, input);
};

it('creates a token that works at once, audited as local', async () => {
  const made = await run(['token', 'create', '--user', 'admin', '--name', 'ci', '--scopes', 'audit:read']);
  expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/^token \d+ of admin, [^\n]+\n$/) });
  const secret = made.out.trim();
  const client = api.using(secret);
  const [entry] = (await client.audit.list({ query: { action: 'api_token.create' } })).data;
  expect(entry?.actor).toEqual({ kind: 'local', id: 0, name: '', credential: '', address: '' });
  expect(JSON.stringify([entry, api.logged])).not.toContain(secret);
});

it('resets a password from standard input, and ends the sessions and streams of the user', async () => {
  const { username, token } = await api.person('operator');
  const stream = await fetch(`${api.url}/admin-api/events`, { headers: { 'edge-token': token } });
  expect(stream.status).toBe(200);
  const password = 'a crème brûlée for all of us';
  const reset = await run(['user', 'reset-password', '--password-stdin', username], `${password}\n`);
  expect(reset).toMatchObject({ code: 0, out: '' });
  await stream.text();
  await expect(createClient({ url: api.url, sessionToken: token }).user.me()).rejects.toMatchObject({ status: 401 });
  expect((await signIn({ url: api.url, username, password })).login.username).toBe(username);
  expect(JSON.stringify([reset, api.logged])).not.toContain(password);
});

it('unlocks a user who is blocked, and resets a second factor', async () => {
  const { username, id } = await api.person('viewer');
  const attempt = (password: string) => signIn({ url: api.url, username, password, retries: 0 });
  for (let i = 0; i < 6; i += 1) await expect(attempt('wrong')).rejects.toThrow();
  await expect(attempt(PASSWORD)).rejects.toMatchObject({ status: 429 });
  expect((await run(['user', 'unlock', username])).code).toBe(0);
  expect((await attempt(PASSWORD)).login.username).toBe(username);
  expect((await run(['user', 'reset-2fa', username])).code).toBe(0);
  const { data } = await api.admin.audit.list({ query: { action: 'user' } });
  const local = data.filter(({ actor, target }) => actor.kind === 'local' && target.id === id);
  expect(local.map(({ action }) => action)).toEqual(['user.second_factor_reset', 'user.unlock']);
});

it('shows what retention would delete', async () => {
  const { code, out, err } = await run(['errlog', 'retention']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^groups [^\n]+ 0 would be deleted\nlines [^\n]+ 0 would be deleted\n$/);
});

it('tells a refusal, wrong usage and a broken audit log apart', async () => {
  const refused = { code: 1, out: '', err: 'quarterdeckd: there is no user "nobody"\n' };
  expect(await run(['user', 'unlock', 'nobody'])).toEqual(refused);
  expect((await run(['token', 'create', '--user', 'admin'])).code).toBe(2);
  expect((await run(['user', 'reset-password', '--password-stdin', 'admin'], 'short')).code).toBe(1);
  expect(await run(['audit', 'verify'])).toMatchObject({ code: 0, err: '' });
  const { db } = api.server.deps;
  const setFirst = (kind: string) =>
    db.write((tx) => tx.sql.run(statement('UPDATE audit SET actor_kind = ? WHERE id = 1'), kind));
  const first = await db.read.prisma.audit.findUniqueOrThrow({ where: { id: 1 } });
  await setFirst('nobody');
  const broken = await run(['audit', 'verify']);
  await setFirst(first.actorKind);
  const err = 'quarterdeckd: the audit log is broken at entry 1; 0 entries before it fit\n';
  expect(broken).toEqual({ code: 3, out: '', err });
});

it.skipIf(DIALECT === 'postgresql')('runs with the settings of the server on SQLite', async () => {
  const { code, err } = await run(['token', 'create', '--user', 'admin', '--name', 'x', '--expire', 'never']);
  expect([code, err]).toEqual([2, expect.stringContaining('within 30 days')]);
});
