// A copy of the database while somebody else may be writing to it. Takes no lock of the data directory.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { DatabaseError, errorCodes, fromDriver } from '../database-error.ts';
import { createPrivate } from './process-lock.ts';

/** Pages between two looks at the event loop: 16 MiB. */
const PAGES_AT_ONCE = 4096;

/**
 * Copies the database of a data directory to a new file, as it is at one moment; resolves once the copy is checked and
 * durable, with its size in bytes. The file appears whole or not at all, and is never one that is there already.
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
    // A link, unlike a new name, never replaces what has appeared there meanwhile.
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
    // Holds on to one moment. Without it each write of the server would make the copy begin anew, without end.
    connection.exec('BEGIN');
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    await connection.backup(target, { progress: () => PAGES_AT_ONCE });
  } finally {
    connection.close();
  }
}

/** Makes the copy one file that needs no other beside it, and looks whether it is good. */
function finish(file: string): void {
  const connection = new BetterSqlite3(file, { fileMustExist: true });
  try {
    connection.pragma('journal_mode = DELETE');
    if (connection.pragma('quick_check(1)', { simple: true }) === 'ok') return;
    throw new DatabaseError('damaged', 'The copy is damaged, and so may be the database: no backup was made.');
  } finally {
    connection.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

const exists = (target: string) => new DatabaseError('io', `${target} is there already; it was not changed.`);

function explain(thrown: unknown, target: string): unknown {
  const [code] = errorCodes(thrown);
  if (code === 'EEXIST') return exists(target);
  // What the file system says of the folder is not what the driver would mean by it.
  const ofFolder = code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES';
  return ofFolder
    ? new DatabaseError('io', `${target} cannot be written (${code}).`, { cause: thrown })
    : fromDriver(thrown);
}
