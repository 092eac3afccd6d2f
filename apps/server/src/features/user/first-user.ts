// The administrator of a new installation.
import { isUniqueViolation } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { faultOf } from '../../auth/password-rules.ts';
import { randomBase62 } from '../../auth/secrets.ts';
import type { Deps } from '../../deps.ts';
import { createFirstUser, hasUsers } from './user.repo.ts';

const USERNAME = 'admin';
const PASSWORD_LENGTH = 24;

/**
 * Makes the first user where there is none. Several servers may try at once: exactly one succeeds.
 *
 * @throws ConfigError where the given password is one that nobody should have
 * @returns the password that was made up, to be shown once; undefined where nothing was made or the password was given
 */
export async function ensureFirstUser(
  { db, passwords, audit, now }: Pick<Deps, 'db' | 'passwords' | 'audit' | 'now'>,
  givenPassword: string | undefined,
): Promise<{ username: string; password: string } | undefined> {
  if (await hasUsers(db)) return undefined;
  const password = givenPassword ?? randomBase62(PASSWORD_LENGTH);
  const fault = await faultOf(password, { username: USERNAME, secondFactor: false });
  if (fault !== undefined) throw new ConfigError(`QUARTERDECK_ADMIN_PASSWORD ${fault}`);
  const passwordHash = await passwords.hash(password);
  try {
    const made = await db.write(async (tx) => {
      const id = await createFirstUser(tx, { username: USERNAME, passwordHash, role: 'master' }, now());
      if (id === undefined) return false;
      const detail = { after: { username: USERNAME, role: 'master', disabled: false } };
      await audit.record(tx, { action: 'user.create', actor: 'system', target: { kind: 'user', id }, detail });
      return true;
    });
    return made && givenPassword === undefined ? { username: USERNAME, password } : undefined;
  } catch (error) {
    // Another server was faster.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}
