import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createClient } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { DIALECT, startApi, type TestApi } from '../../test/start-api.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

function run({ sharing }: TestApi, args: readonly string[]) {
  const settings = Object.entries(sharing).map(([name, value]) => [`QUARTERDECK_${name}`, value]);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=@quarterdeck/source', MAIN, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...Object.fromEntries(settings) },
  });
  return { status, stdout, stderr };
}

it.skipIf(DIALECT === 'sqlite')('works beside a running server on PostgreSQL', async () => {
  await using api = await startApi();
  const made = run(api, ['token', 'create', '--user', 'admin', '--name', 'ci', '--scopes', 'audit:read']);
  expect(made.status).toBe(0);
  const client = createClient({ url: api.url, apiToken: made.stdout.trim() });
  const [entry] = (await client.audit.list({ query: { action: 'api_token.create' } })).data;
  expect(entry?.actor).toMatchObject({ kind: 'system', id: 0, address: '' });

  const reset = run(api, ['user', 'reset-password', 'admin']);
  expect(reset.status).toBe(0);
  await expect(api.admin.user.me()).rejects.toMatchObject({ status: 401 });
  expect(run(api, ['audit', 'verify'])).toMatchObject({ status: 0, stderr: '' });
  expect((await client.audit.verify()).intact).toBe(true);
});

it.skipIf(DIALECT === 'postgresql')('is refused beside a running server on SQLite', async () => {
  await using api = await startApi();
  const { status, stdout, stderr } = run(api, ['user', 'reset-password', 'admin']);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^quarterdeck: a server is running on [^\n]+; stop it first, then run this command again\n$/);
  expect((await api.admin.user.me()).username).toBe('admin');
});
