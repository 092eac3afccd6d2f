import { createClient } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { runProcess } from '../../test/command-line.ts';
import { DIALECT, startApi, type TestApi } from '../../test/start-api.ts';

const run = ({ sharing }: TestApi, args: readonly string[]) =>
  runProcess(args, Object.fromEntries(Object.entries(sharing).map(([name, value]) => [`QUARTERDECK_${name}`, value])));

it.skipIf(DIALECT === 'sqlite')('works beside a running server on PostgreSQL', async () => {
  await using api = await startApi();
  const made = await run(api, ['token', 'create', '--user', 'admin', '--name', 'ci', '--scopes', 'audit:read']);
  expect(made.code).toBe(0);
  const client = createClient({ url: api.url, apiToken: made.out.trim() });
  const [entry] = (await client.audit.list({ query: { action: 'api_token.create' } })).data;
  expect(entry?.actor).toMatchObject({ kind: 'system', id: 0, address: '' });

  const reset = await run(api, ['user', 'reset-password', 'admin']);
  expect(reset.code).toBe(0);
  await expect(api.admin.user.me()).rejects.toMatchObject({ status: 401 });
  expect(await run(api, ['audit', 'verify'])).toMatchObject({ code: 0, err: '' });
  expect((await client.audit.verify()).intact).toBe(true);
});

it.skipIf(DIALECT === 'postgresql')('is refused beside a running server on SQLite', async () => {
  await using api = await startApi();
  const { code, out, err } = await run(api, ['user', 'reset-password', 'admin']);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^quarterdeck: a server is running on [^\n]+; stop it first, then run this command again\n$/);
  expect((await api.admin.user.me()).username).toBe('admin');
});
