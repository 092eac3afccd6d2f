// Restores a backup. The restored data are prepared and opened in a folder of their own before the old ones are moved.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  checkEmptyPostgres,
  copySqlite,
  type Database,
  DatabaseError,
  type DatabaseOptions,
  foreignInSqlite,
  foreignText,
  lockDirectory,
  openDatabase,
  restoreDump,
} from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { checkKey } from '../auth/key-check.ts';
import { KEY_FILE_NAMES } from '../auth/key-files.ts';
import { type KeyRing, openSecretKey } from '../auth/key-ring.ts';
import { createAuditLog } from '../features/audit/audit.log.ts';
import { EXIT } from '../process/exit-codes.ts';
import { Refusal } from '../process/refusal.ts';
import { prepareDataFolder } from '../settings/data-folder.ts';
import type { CheckedBackup } from './check-backup.ts';
import { type BackupSettings, syncFolder, writeDurably } from './make-backup.ts';
import { finishOrDrop, type OnStep, replaceFiles, stagingOf } from './restore-journal.ts';

export interface RestoreOptions {
  readonly nowMs: number;
  /** Gets sentences for the person who restores. */
  readonly say: (line: string) => void;
  readonly onStep?: OnStep;
  /** Restores a backup that is not authentic as well. */
  readonly acceptUnsigned?: boolean;
  /** Do everything but replace files. On PostgreSQL only check that the database is empty. */
  readonly isDryRun?: boolean;
}

type Settings = Omit<BackupSettings, 'backupPassphrase'>;

/**
 * Puts the data of a backup in the place of the present ones, which move to a restore point.
 *
 * @returns the restore point; undefined where no file was replaced
 * @throws Refusal, with the data as they were
 */
export async function restoreBackup(
  settings: Settings,
  backup: CheckedBackup,
  { nowMs, say, onStep = () => undefined, acceptUnsigned = false, isDryRun = false }: RestoreOptions,
): Promise<string | undefined> {
  const { dataDir, databaseUrl } = settings;
  checkKind(backup, databaseUrl);
  if (backup.seal !== 'authentic') {
    if (!acceptUnsigned) {
      throw new Refusal(
        `${backup.file} is not authentic: ${backup.sealText}; whoever could write to its folder may have changed it; ` +
          'use --accept-unsigned to restore it nevertheless',
      );
    }
    say(`restoring a backup that is not authentic: ${backup.sealText}`);
  }
  if (isDryRun && databaseUrl !== undefined) {
    await checkEmptyPostgres(databaseUrl);
    return undefined;
  }
  prepareDataFolder(dataDir);
  const lock = await lockDirectory(dataDir).catch((error: unknown) => {
    if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    throw new Refusal(`a server is running on ${dataDir}; stop it first, then run this command again`, EXIT.tryAgain);
  });
  try {
    const interrupted = finishOrDrop(dataDir);
    if (interrupted !== undefined) say(interrupted.text);
    const staging = stagingOf(dataDir);
    mkdirSync(staging, { mode: 0o700 });
    try {
      await prepare(settings, backup, nowMs, onStep);
      const isChanged = ['quarterdeck.db', ...KEY_FILE_NAMES].some((name) => existsSync(join(staging, name)));
      return isChanged && !isDryRun ? replaceFiles(dataDir, basename(backup.file), nowMs, onStep) : undefined;
    } finally {
      // After a failure the old data are untouched; after a success the folder is gone already.
      rmSync(staging, { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
}

function checkKind({ file, database }: CheckedBackup, databaseUrl: string | undefined): void {
  if (database === 'sqlite' && databaseUrl !== undefined) {
    throw new Refusal(`${file} is of SQLite; unset QUARTERDECK_DATABASE_URL to restore it`);
  }
  if (database === 'postgresql' && databaseUrl === undefined) {
    throw new Refusal(`${file} is of PostgreSQL; name an empty database in QUARTERDECK_DATABASE_URL`);
  }
}

/** Fills the staging folder, and proves that the data open with their key. */
async function prepare(
  { dataDir, databaseUrl }: Settings,
  backup: CheckedBackup,
  nowMs: number,
  onStep: OnStep,
): Promise<void> {
  const staging = stagingOf(dataDir);
  let place: DatabaseOptions = { kind: 'sqlite', dataDir: staging };
  if (databaseUrl === undefined) await stageSqlite(backup, join(staging, 'quarterdeck.db'));
  else {
    place = { kind: 'postgresql', url: databaseUrl };
    const dump = join(staging, 'quarterdeck.pgdump');
    await copyUnchanged(backup, dump);
    await restoreDump(databaseUrl, dump);
    rmSync(dump);
  }
  onStep('database copied');
  const db = await openDatabase({ ...place, mustExist: true });
  try {
    const key = await findKey(db, dataDir, backup);
    const audit = createAuditLog(() => nowMs, key);
    const { manifest } = backup;
    const detail = {
      backup: basename(backup.file),
      ...(manifest && { made: manifest.timeMs, by: manifest.quarterdeck }),
    };
    await db.write((tx) => audit.record(tx, { action: 'backup.restore', actor: 'local', detail }));
  } finally {
    await db.close();
  }
  syncFolder(staging);
  onStep('database opened');
}

/** Copies the database of a backup. The copy is checked and restored, whatever happens to the original. */
async function stageSqlite(backup: CheckedBackup, target: string): Promise<void> {
  // A database that a server has left has a write-ahead log. A backup has none.
  if (backup.manifest === undefined) await copySqlite(backup.file, target);
  else await copyUnchanged(backup, target);
  const foreign = foreignInSqlite(target);
  if (foreign.length > 0) throw new Refusal(foreignText(backup.file, foreign));
}

/** Copies the file of a backup, and refuses one that is no longer the file that was checked. */
async function copyUnchanged({ file, manifest }: CheckedBackup, target: string): Promise<void> {
  const hash = createHash('sha256');
  const digesting = async function* (parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      hash.update(part);
      yield part;
    }
  };
  await pipeline(
    createReadStream(file),
    digesting,
    createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }),
  );
  if (manifest !== undefined && hash.digest('hex') !== manifest.sha256) {
    throw new Refusal(`${file} was changed while it was being restored`);
  }
}

/** Finds the key of a restored database. Writes it to the staging folder where the data folder does not have it. */
async function findKey(db: Database, dataDir: string, { file, keys }: CheckedBackup): Promise<KeyRing> {
  const staging = stagingOf(dataDir);
  const present = await keyIn(db, dataDir);
  if (present !== undefined) return present;
  if (typeof keys === 'object') {
    for (const name of KEY_FILE_NAMES) if (keys[name] !== undefined) writeDurably(join(staging, name), keys[name]);
    const kept = await keyIn(db, staging);
    if (kept !== undefined) return kept;
  }
  // A restore point has its key beside the database.
  const beside = await keyIn(db, dirname(file));
  if (beside !== undefined) {
    for (const name of KEY_FILE_NAMES) copyKey(join(dirname(file), name), join(staging, name));
    return beside;
  }
  const remedy =
    keys === 'sealed'
      ? 'set QUARTERDECK_BACKUP_PASSPHRASE to use the key in the backup'
      : `put the secret.key of the backup into ${dataDir}`;
  throw new Refusal(`${dataDir} does not have the secret.key of this backup; ${remedy}`);
}

function copyKey(from: string, to: string): void {
  if (existsSync(from)) writeDurably(to, readFileSync(from, 'utf8'));
}

/** Opens the key of a folder if it is the one of the database. */
async function keyIn(db: Database, folder: string): Promise<KeyRing | undefined> {
  if (!existsSync(join(folder, KEY_FILE_NAMES[0]))) return undefined;
  try {
    const key = openSecretKey(folder);
    await checkKey(db, key);
    return key;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
