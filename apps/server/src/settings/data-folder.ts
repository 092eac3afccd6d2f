// The data folder: closed to other accounts, and refused where they could read or replace its files.
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';

/** Files of this program: key and marker, first password, database with journals and copies, lock, reserve, socket. */
const OWN_FILE =
  /^(first-password|secret\.key(\..+)?|quarterdeckd\.sock|quarterdeck\.(lock|reserve|restore|db([-.].+)?))$/;
/** Folders of a restore: the new files until they are in their place, and the old ones. */
const OWN_FOLDER = /^(restore\.new|before-restore-.+)$/;

const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o002;
const OTHERS_ENTER = 0o001;
const STICKY = 0o1000;

/**
 * Creates the data folder, or restricts an existing one: own files to at most 0600, and the folder to 0700 where it
 * belongs to this account and holds nothing else. A shared folder, such as a project's or a volume of a group, stays
 * open.
 *
 * @throws ConfigError if the folder cannot be used, or if others can still read or replace a file
 */
export function prepareDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(
      `QUARTERDECK_DATA_DIR gives "${dataDir}", which cannot be used (${code}); allowed: a folder that can be written or created`,
      { cause },
    );
  }
  // A system without accounts has no modes.
  if (process.geteuid === undefined) return;
  const entries = readdirSync(dataDir, { withFileTypes: true });
  const own = entries.filter((entry) => OWN_FILE.test(entry.name) && !entry.isDirectory());
  const folders = entries.filter((entry) => OWN_FOLDER.test(entry.name) && entry.isDirectory());
  if (own.length + folders.length === entries.length && statSync(dataDir).uid === process.geteuid())
    close(dataDir, 0o700);
  // A link may lead anywhere: its file is checked, not changed.
  for (const file of own) if (!file.isSymbolicLink()) close(join(dataDir, file.name), 0o600);
  refuseOpen(
    dataDir,
    own.map(({ name }) => name),
  );
}

/** Removes all permissions that are not in `most`, where this account may. */
function close(path: string, most: number): void {
  // A journal may have been deleted meanwhile.
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o777 & ~most) === 0) return;
  try {
    chmodSync(path, mode & most);
  } catch {
    // A file of another account, or on a read-only file system, such as a mounted secret. Its mode is checked later.
  }
}

function refuseOpen(dataDir: string, own: readonly string[]): void {
  const { mode } = statSync(dataDir);
  if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) {
    throw new ConfigError(
      `every user can replace files in ${dataDir} (QUARTERDECK_DATA_DIR); run "chmod o-w" on it, or name a folder below it`,
    );
  }
  if ((mode & OTHERS_ENTER) === 0) return;
  const open = own.find(
    (name) => ((statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0) & OTHERS_READ) !== 0,
  );
  if (open !== undefined) {
    throw new ConfigError(
      `every user can read ${join(dataDir, open)}, and this account may not change that; give the file the mode 0600, or 0440 with a group of this account`,
    );
  }
}
