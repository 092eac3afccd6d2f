// Copies a database while a server may be writing to it, without the lock of the data directory.
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import BetterSqlite3 from 'better-sqlite3';
import type { DatabaseContents, DatabaseCopy } from '../contents.ts';
import { DatabaseError, errorCodes, fromDriver } from '../database-error.ts';
import { readContents } from './contents.ts';
import { createPrivate } from './process-lock.ts';

/** Pages copied between two rounds of the event loop: 16 MiB. */
const PAGES_AT_ONCE = 4096;

/**
 * Copies a database file, as it is at one moment, to a new file of mode 0600. Resolves once the copy is checked and
 * durable. Leaves no file where it fails.
 */
export async function copySqlite(file: string, target: string): Promise<DatabaseCopy> {
  try {
    // The journal of a copy that was killed would be applied to this one.
    for (const name of [target, `${target}-journal`]) rmSync(name, { force: true });
    createPrivate(target);
    await copy(file, target);
    const contents = finish(target);
    sync(target);
    return { bytes: statSync(target).size, sha256: await digestOf(target), contents };
  } catch (error) {
    for (const name of [target, `${target}-journal`]) rmSync(name, { force: true });
    throw explain(error, target);
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
function finish(file: string): DatabaseContents {
  const connection = new BetterSqlite3(file, { fileMustExist: true });
  try {
    connection.pragma('journal_mode = DELETE');
    if (connection.pragma('quick_check(1)', { simple: true }) === 'ok') return readContents(connection, file);
    throw new DatabaseError(
      'damaged',
      'The copy is damaged, and so may be the database. No backup was made; check the disk.',
    );
  } finally {
    connection.close();
  }
}

/** Computes the SHA-256 of a file, in hexadecimal. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function explain(thrown: unknown, target: string): unknown {
  const [code] = errorCodes(thrown);
  // These codes are about the folder; the driver's translation would blame the database.
  const ofFolder = code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EROFS';
  return ofFolder
    ? new DatabaseError('io', `${target} cannot be written (${code}).`, { cause: thrown })
    : fromDriver(thrown);
}
