// Rewrites a database file without its unused pages, and lets it give back pages by itself from then on.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fromDriver } from '../database-error.ts';
import { lockDirectory } from './process-lock.ts';
import { rewriteFile } from './upkeep.ts';

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
    const before = statSync(file).size;
    rewriteFile(file);
    return { before, after: statSync(file).size };
  } catch (error) {
    throw fromDriver(error);
  } finally {
    lock.release();
  }
}
