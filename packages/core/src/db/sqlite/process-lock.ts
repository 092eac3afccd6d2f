// Lock of a data directory for one process. The operating system releases it however the process ends.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import BetterSqlite3, { type Database as Connection } from 'better-sqlite3';
import { DatabaseError, errorCodes } from '../database-error.ts';

/** Wait for a predecessor that is just exiting. */
const waitMs = 500;
const stepMs = 50;

export interface ProcessLock {
  release(): void;
}

/** Takes the data directory for this process; rejects with kind `locked` when another one has it. */
export async function lockDirectory(dataDir: string): Promise<ProcessLock> {
  const file = join(dataDir, 'quarterdeck.lock');
  createPrivate(file);
  const connection = new BetterSqlite3(file, { timeout: 0 });
  try {
    await lock(connection, dataDir, Date.now() + waitMs);
  } catch (error) {
    connection.close();
    throw error;
  }
  return { release: () => connection.close() };
}

async function lock(connection: Connection, dataDir: string, deadlineMs: number): Promise<void> {
  for (;;) {
    try {
      // The file is only a lock; nothing is ever written to it.
      connection.pragma('journal_mode = MEMORY');
      connection.exec('BEGIN EXCLUSIVE');
      return;
    } catch (error) {
      if (![...errorCodes(error)].some((code) => code.startsWith('SQLITE_BUSY'))) throw error;
      if (Date.now() >= deadlineMs) {
        throw new DatabaseError('locked', `Another process uses the data directory ${dataDir}.`, { cause: error });
      }
    }
    await delay(stepMs);
  }
}

/**
 * Creates `file` for this user alone, if it is not there; SQLite gives its journals the same mode. A file that exists
 * is not even opened: closing it would drop the locks of this process on it.
 */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (![...errorCodes(error)].includes('EEXIST')) throw error;
  }
}
