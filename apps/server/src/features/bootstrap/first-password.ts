// The generated password of the administrator in a file of the data folder, where the output of the server is the
// journal of systemd: a log must not keep a secret.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '@quarterdeck/core/db';
import type { Passwords } from '../../auth/passwords.ts';
import { FIRST_USERNAME } from '../user/first-user.ts';
import { findUserByName } from '../user/user.repo.ts';
import type { FirstUser } from './initial-users.ts';

/** Name in the data folder. */
const FILE = 'first-password';

/** Writes the file, durably: the next start does not know the password. Returns its path. */
export function storeFirstPassword(dataDir: string, { password }: FirstUser): string {
  const path = join(dataDir, FILE);
  writeFileSync(path, `${password}\n`, { mode: 0o600, flush: true });
  return path;
}

/** Deletes the file if the user has another password now, or is gone. */
export async function deleteOldFirstPassword(
  { db, passwords }: { readonly db: Database; readonly passwords: Passwords },
  dataDir: string,
): Promise<void> {
  const path = join(dataDir, FILE);
  const password = readIfThere(path);
  if (password === undefined) return;
  const user = await findUserByName(db.read, FIRST_USERNAME);
  if (await passwords.verify(user?.passwordHash, password.trim())) return;
  rmSync(path, { force: true });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
