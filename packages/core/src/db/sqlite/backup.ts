// Copies the database while a server may be writing to it, without the lock of the data directory.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { DatabaseError, errorCodes, fromDriver } from '../database-error.ts';
import { createPrivate } from './process-lock.ts';

/** Pages copied between two rounds of the event loop: 16 MiB. */
const PAGES_AT_ONCE = 4096;

/**
 * Copies the database of a data directory, as it is at one moment, to a new file. Resolves with the size in bytes once
 * the copy is checked and durable. The file appears whole or not at all, and never replaces another one.
 */
export async function backupSqlite(dataDir: string, target: string): Promise<number> {
  const unfinished = `${target}.part`;
  if (existsSync(target)) throw exists(target);
  try {
    rmSync(unfinished, { force: true });
    createPrivate(unfinished);
    await copy(join(dataDir, 'quarterdeck.db'), unfinished);
    finish(unfinished);
    sync(unfinished);
    // A link, unlike a rename, never replaces a file that has appeared meanwhile.
    linkSync(unfinished, target);
    sync(dirname(target));
    return statSync(target).size;
  } catch (error) {
    throw explain(error, target);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

async function copy(file: string, target: string): Promise<void> {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: 250 });
  try {
    // Reads one snapshot. Without it each write of the server would restart the copy, without end.
    connection.exec('BEGIN');
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    await connection.backup(target, { progress: () => PAGES_AT_ONCE });
  } finally {
    connection.close();
  }
}

/** Makes the copy a single file without a write-ahead log, and checks it. */
function finish(file: string): void {
  const connection = new BetterSqlite3(file, { fileMustExist: true });
  try {
    connection.pragma('journal_mode = DELETE');
    if (connection.pragma('quick_check(1)', { simple: true }) === 'ok') return;
    throw new DatabaseError(
      'damaged',
      'The copy is damaged, and so may be the database. No backup was made; check the disk.',
    );
  } finally {
    connection.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

const exists = (target: string) => new DatabaseError('io', `${target} already exists; it was not changed.`);

function explain(thrown: unknown, target: string): unknown {
  const [code] = errorCodes(thrown);
  if (code === 'EEXIST') return exists(target);
  // These codes are about the folder; the driver's translation would blame the database.
  const ofFolder = code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES';
  return ofFolder
    ? new DatabaseError('io', `${target} cannot be written (${code}).`, { cause: thrown })
    : fromDriver(thrown);
}
