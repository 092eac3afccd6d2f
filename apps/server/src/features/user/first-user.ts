// The administrator of a new installation.
import { TOP_ROLE } from '@quarterdeck/core';
import { ConfigError } from '@quarterdeck/core/environment';
import { findPasswordFault } from '../../auth/password-rules.ts';
import { randomBase62 } from '../../auth/secrets.ts';
import type { UserNeeds } from './needs.ts';
import { createUser, hasUsers, lockUsers } from './user.repo.ts';

/** Name of the administrator of a new installation. */
export const FIRST_USERNAME = 'admin';
const PASSWORD_LENGTH = 24;

/**
 * Creates the first user where there is none. Of several servers that start at once, exactly one creates it.
 *
 * @throws ConfigError where the given password breaks the password rules
 * @returns the generated password, to be shown once; undefined where no user was created or the password was given
 */
export async function ensureFirstUser(
  { db, passwords, audit, now }: Pick<UserNeeds, 'db' | 'passwords' | 'audit' | 'now'>,
  givenPassword: string | undefined,
): Promise<{ username: string; password: string } | undefined> {
  if (await hasUsers(db.read)) return undefined;
  const password = givenPassword ?? randomBase62(PASSWORD_LENGTH);
  const fault = await findPasswordFault(password, { username: FIRST_USERNAME, secondFactor: false });
  if (fault !== undefined) throw new ConfigError(`QUARTERDECK_ADMIN_PASSWORD ${fault}`);
  const passwordHash = await passwords.hash(password);
  const isCreated = await db.write(async (tx) => {
    await lockUsers(tx);
    if (await hasUsers(tx)) return false;
    const id = await createUser(tx, { username: FIRST_USERNAME, passwordHash, role: TOP_ROLE }, now());
    if (id === undefined) return false;
    const detail = { after: { username: FIRST_USERNAME, role: TOP_ROLE, disabled: false } };
    await audit.record(tx, { action: 'user.create', actor: 'system', target: { kind: 'user', id }, detail });
    return true;
  });
  return isCreated && givenPassword === undefined ? { username: FIRST_USERNAME, password } : undefined;
}
