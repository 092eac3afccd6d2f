// Rewrites a database file without its unused pages, and lets it give back pages by itself from then on.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { fromDriver } from '../database-error.ts';
import { lockDirectory } from './process-lock.ts';

/** Size of the file in bytes, before and after. */
export interface Compacted {
  readonly before: number;
  readonly after: number;
}

/** Compacts the database of a data directory. Rejects with kind `locked` while a server uses it. */
export async function compactSqlite(dataDir: string): Promise<Compacted> {
  const directory = resolve(dataDir);
  const file = join(directory, 'quarterdeck.db');
  const lock = await lockDirectory(directory);
  try {
    const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: 250 });
    try {
      connection.pragma('wal_checkpoint(TRUNCATE)');
      const before = statSync(file).size;
      connection.pragma('auto_vacuum = INCREMENTAL');
      connection.exec('VACUUM');
      connection.pragma('wal_checkpoint(TRUNCATE)');
      return { before, after: statSync(file).size };
    } finally {
      connection.close();
    }
  } catch (error) {
    throw fromDriver(error);
  } finally {
    lock.release();
  }
}
