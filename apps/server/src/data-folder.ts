// The data folder: made for this account alone, and refused where others could read or replace what is in it.
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';

/** Names that this program gives: the key and its marker, the database with its journals and copies, lock, reserve. */
const OWN_FILE = /^(secret\.key(\..+)?|quarterdeck\.(lock|reserve)|quarterdeck\.db([-.].+)?)$/;

const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o002;
const OTHERS_ENTER = 0o001;
const STICKY = 0o1000;

/**
 * Makes the data folder, or closes one that is there: own files to their owner alone (0600 at most), and the folder to
 * 0700 where it belongs to this account and holds nothing else. A folder that is shared, such as a project's or a volume
 * of a group, stays open.
 *
 * @throws ConfigError where the folder cannot be used, or where others can still read a file or replace one
 */
export function prepareDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(
      `QUARTERDECK_DATA_DIR gives "${dataDir}", which cannot be used (${code}); allowed: a folder that can be written, or made`,
      { cause },
    );
  }
  // Without accounts there are no modes.
  if (process.geteuid === undefined) return;
  const entries = readdirSync(dataDir, { withFileTypes: true });
  const own = entries.filter((entry) => OWN_FILE.test(entry.name) && !entry.isDirectory());
  if (own.length === entries.length && statSync(dataDir).uid === process.geteuid()) close(dataDir, 0o700);
  // A link may lead anywhere: only the mode of its file is checked.
  for (const file of own) if (!file.isSymbolicLink()) close(join(dataDir, file.name), 0o600);
  refuseOpen(
    dataDir,
    own.map(({ name }) => name),
  );
}

/** Takes all permissions away that are not in `most`, where this account may. */
function close(path: string, most: number): void {
  // A journal may have gone meanwhile.
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o777 & ~most) === 0) return;
  try {
    chmodSync(path, mode & most);
  } catch {
    // A file of another account, or on a file system that is read-only, such as a mounted secret. Its mode is checked.
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
