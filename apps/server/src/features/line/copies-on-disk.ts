// Files that an erasure does not change: copies of the database, restore points and backups.
import { readdirSync } from 'node:fs';

export interface Folders {
  readonly dataDir: string;
  /** Folder of scheduled backups; undefined where there are none. */
  readonly backupDir: string | undefined;
}

const BACKUP = /\.(db|pgdump)$/;
const IN_DATA = /^((?!quarterdeck\.db$).+\.(db|pgdump)|quarterdeck\.db\..+|before-restore-.+|restore\.new)$/;

/** Names of the files and folders that may still hold erased lines. */
export function copiesOnDisk({ dataDir, backupDir }: Folders): string[] {
  return [...namesIn(dataDir, IN_DATA), ...(backupDir === undefined ? [] : namesIn(backupDir, BACKUP))];
}

function namesIn(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort();
  } catch {
    // A disk of backups that is not there: the folder itself is named.
    return [folder];
  }
}
