// The administrator of a new installation.
import { isUniqueViolation } from '@quarterdeck/core/db';
import { randomBase62 } from '../../auth/secrets.ts';
import type { Deps } from '../../deps.ts';
import { createFirstUser, hasUsers } from './user.repo.ts';

const USERNAME = 'admin';
const PASSWORD_LENGTH = 24;

/**
 * Makes the first user where there is none. Several servers may try at once: exactly one succeeds.
 *
 * @returns the password that was made up, to be shown once; undefined where nothing was made or the password was given
 */
export async function ensureFirstUser(
  { db, passwords, now }: Pick<Deps, 'db' | 'passwords' | 'now'>,
  givenPassword: string | undefined,
): Promise<{ username: string; password: string } | undefined> {
  if (await hasUsers(db)) return undefined;
  const password = givenPassword ?? randomBase62(PASSWORD_LENGTH);
  const passwordHash = await passwords.hash(password);
  try {
    const made = await db.write((tx) =>
      createFirstUser(tx, { username: USERNAME, passwordHash, role: 'master' }, now()),
    );
    return made && givenPassword === undefined ? { username: USERNAME, password } : undefined;
  } catch (error) {
    // Another server was faster.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}
