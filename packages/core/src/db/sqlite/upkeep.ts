// Upkeep of a database file, on a thread: it takes longer than the event loop may stand still.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import { DatabaseError } from '../database-error.ts';
import type { UpkeepStart } from './upkeep.worker.ts';

/** Time for which readers may delay the end of the write-ahead log. */
const WAIT_MS = 10_000;

/** Rewrites a file. Unused pages can be given back to the system afterwards. No other connection may write. */
export function rewriteFile(file: string): void {
  const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: WAIT_MS });
  try {
    connection.pragma('synchronous = FULL');
    connection.pragma('auto_vacuum = INCREMENTAL');
    mergeSearchIndexes(connection);
    connection.exec('VACUUM');
    endLog(connection);
  } finally {
    connection.close();
  }
}

const SEARCH_INDEXES = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING fts5(%'";

/** Merges all parts of the full-text indexes: until then deleted entries are only marked. */
function mergeSearchIndexes(connection: BetterSqlite3.Database): void {
  for (const name of connection.prepare(SEARCH_INDEXES).pluck().all() as string[]) {
    connection.prepare(`INSERT INTO "${name}" ("${name}") VALUES ('optimize')`).run();
  }
}

/**
 * Copies the write-ahead log to the file, as far as no reader needs it; others may write meanwhile. With `whole` none
 * may, and the log is empty afterwards.
 */
export function copyLog(file: string, whole: boolean): void {
  const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: whole ? WAIT_MS : 0 });
  try {
    if (whole) endLog(connection);
    else connection.pragma('wal_checkpoint(PASSIVE)');
  } finally {
    connection.close();
  }
}

function endLog(connection: BetterSqlite3.Database): void {
  const [{ busy }] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
  if (busy !== 0) throw new DatabaseError('busy');
}

/** File of the thread, compiled if this one is. */
const worker = new URL(`./upkeep.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Runs a task on a thread: {@link rewriteFile} or {@link copyLog}. */
export async function runUpkeep(start: UpkeepStart): Promise<void> {
  const thread = new Worker(worker, {
    workerData: start,
    env: {},
    execArgv: worker.pathname.endsWith('.ts') ? ['--conditions=@quarterdeck/source'] : [],
  });
  await once(thread, 'exit');
}
