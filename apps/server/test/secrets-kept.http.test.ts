// Plaintext secrets are in no table, no file and no log line of a server. The thorough test adds the command line, the
// process list and the backup.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { filesOf, tablesOf } from './contents.ts';
import { leaksOf, type Secrets, useEverySecret } from './secrets.ts';
import { PASSWORD, startApi } from './start-api.ts';

it('are nowhere but in the answers that made them', async () => {
  await using api = await startApi();
  const secrets: Secrets = {};
  // A text that is no secret, to check that the search works.
  const visible = `visible-${randomUUID()}`;
  await useEverySecret(api.url, { username: 'admin', password: PASSWORD }, visible, secrets);
  expect(Object.keys(secrets).length).toBeGreaterThan(25);
  const found: Record<string, string> = {
    ...(await tablesOf(api.server.deps.db)),
    ...filesOf(api.sharing['DATA_DIR'] ?? ''),
    'the log': api.logged.join('\n'),
  };
  expect(found['table user']).toContain(visible);
  expect(found['the log']).toContain('/admin-api/user/me/2fa/confirm');
  expect(leaksOf({ ...secrets, password: PASSWORD }, found)).toEqual([]);
});
