// Queries about rules for all users, in the table `setting`. The credential check reads the same row in its own query.
import { ROLE_NAMES, type RoleName } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { readSetting, storeSetting } from '@quarterdeck/core/sql';

/** Name of the setting that lists the roles that need a second factor, with commas between. */
const REQUIRE_2FA = 'require_2fa';

/** Reads the roles that need a second factor, most powerful first. */
export async function readSecondFactorRoles(tx: Tx): Promise<RoleName[]> {
  const named = (await readSetting(tx, REQUIRE_2FA))?.split(',') ?? [];
  return ROLE_NAMES.filter((role) => named.includes(role));
}

/** Requires a second factor of these roles and of no others. */
export async function storeSecondFactorRoles(tx: Tx, roles: readonly RoleName[]): Promise<void> {
  await storeSetting(tx, REQUIRE_2FA, ROLE_NAMES.filter((role) => roles.includes(role)).join(','));
}
