// Upgrades from data of a released version: what was in it is still there, read with the installed command line.
import { isDeepStrictEqual } from 'node:util';
import { knownAnswers, knownSecrets } from '../../apps/server/test/fixtures/fixture.ts';
import { check } from './check.ts';
import { listErrors, signIn } from './first-error.ts';
import { type Installation, succeed, waitUntilReady } from './installation.ts';

/** The version whose data the tests upgrade. */
export const RELEASED = '0.2.0';
/** Settings that keep the fixture whole: its times are fixed and grow old. */
export const KEEP_ALL = { errlog_days: 0, occurrence_days: 0 } as const;

/** Checks users, agents and errors of the fixture after the new server has started on it. */
export async function checkReleasedData(installation: Installation): Promise<void> {
  await waitUntilReady(installation);
  const secrets = knownSecrets(RELEASED, 'sqlite');
  const known = knownAnswers(RELEASED, 'sqlite');
  signIn(installation, secrets.users.admin.username, secrets.users.admin.password);
  const column = (noun: string, field: string) =>
    succeed(installation.quarterdeck, [noun, 'list', '--all', '--jq', `.[].${field}`])
      .trim()
      .split('\n')
      .sort();
  same(column('users', 'username'), known.users.map(({ username }) => username).sort(), 'users');
  same(
    column('agents', 'hostname'),
    known.agents
      .filter((agent) => !agent.is_deleted)
      .map(({ hostname }) => hostname)
      .sort(),
    'agents',
  );
  const errors = listErrors(installation);
  const missing = known.groups.filter(({ log }) => !errors.includes(log));
  check(
    missing.length === 0,
    `errors of ${RELEASED}: ${known.groups.length - missing.length} of ${known.groups.length}`,
  );
}

function same(found: readonly unknown[], expected: readonly unknown[], what: string): void {
  const ok = isDeepStrictEqual(found, expected);
  check(ok, `${what} of ${RELEASED}: ${ok ? found.length : `${found.join(', ')}, expected ${expected.join(', ')}`}`);
}
