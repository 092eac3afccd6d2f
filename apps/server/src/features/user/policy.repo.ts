// What holds for everybody, in the table `setting`. The credential check joins the same row into its own query.
import { ROLE_NAMES, type RoleName } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';

/** Name of the setting that holds the roles of which a second factor is demanded, with commas between. */
export const REQUIRE_2FA = 'require_2fa';

const READ = statement('SELECT value FROM setting WHERE name = ?');
const STORE = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);

/** The roles named by a value of {@link REQUIRE_2FA}; none where there is no such row. */
export function demandedRoles(value: string | null | undefined): RoleName[] {
  const named = (value ?? '').split(',');
  return ROLE_NAMES.filter((role) => named.includes(role));
}

/** The roles of which a second factor is demanded, most powerful first. */
export const readDemandedRoles = async (door: Tx): Promise<RoleName[]> =>
  demandedRoles((await door.sql.get<{ value: string }>(READ, REQUIRE_2FA))?.value);

/** Demands a second factor of these roles and of no others. */
export async function storeDemandedRoles(tx: Tx, roles: readonly RoleName[]): Promise<void> {
  await tx.sql.run(STORE, REQUIRE_2FA, ROLE_NAMES.filter((role) => roles.includes(role)).join(','));
}
