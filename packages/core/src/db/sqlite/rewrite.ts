// Rewrites a whole database file: nothing that was deleted is left in it or in its write-ahead log.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import { DatabaseError } from '../database-error.ts';
import type { RewriteStart } from './rewrite.worker.ts';

/** Time for which readers may delay the end of the write-ahead log. */
const WAIT_MS = 10_000;

/** Rewrites a file. Unused pages can be given back to the system afterwards. No other connection may write. */
export function rewriteFile(file: string): void {
  const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: WAIT_MS });
  try {
    connection.pragma('synchronous = FULL');
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.exec('VACUUM');
    const [{ busy }] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
    if (busy !== 0) throw new DatabaseError('busy');
  } finally {
    connection.close();
  }
}

/** File of the thread, compiled if this one is. */
const worker = new URL(`./rewrite.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Rewrites a file on a thread. */
export async function rewriteOnThread(file: string): Promise<void> {
  const thread = new Worker(worker, {
    workerData: { file } satisfies RewriteStart,
    env: {},
    execArgv: worker.pathname.endsWith('.ts') ? ['--conditions=@quarterdeck/source'] : [],
  });
  await once(thread, 'exit');
}
