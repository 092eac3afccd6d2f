// Copies a database to a file, here or on a thread.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { DatabaseCopy } from '../contents.ts';
import { type Failure, fromFailure } from '../failure.ts';

/** Place of the database: a SQLite file, or a PostgreSQL that `pg_dump` reads. */
export type CopySource =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgresql'; readonly url: string };

/** Data that the thread is started with. */
export interface CopyStart {
  readonly source: CopySource;
  readonly target: string;
}

/** The answer of the thread. */
export type CopyReport = { readonly copy: DatabaseCopy } | { readonly failure: Failure };

/** Time in which an aborted thread may end the programs that it runs. */
const ABORT_MS = 500;

/**
 * Copies a database, as it is at one moment, to a new file of mode 0600. Resolves once the copy is checked and durable.
 * Leaves no file where it fails.
 */
export async function copyDatabase(source: CopySource, target: string, signal?: AbortSignal): Promise<DatabaseCopy> {
  // Loaded on demand: each driver is an optional dependency.
  if (source.kind === 'sqlite') {
    const { copySqlite } = await import('../sqlite/backup.ts');
    return await copySqlite(source.file, target);
  }
  const { dumpPostgres } = await import('../postgresql/dump.ts');
  return await dumpPostgres(source.url, target, signal);
}

/** File of the thread, compiled if this one is. */
const worker = new URL(`./copy-database.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * Runs {@link copyDatabase} on a thread: checks and starts of programs take longer than the event loop may stand still.
 * An aborted copy may leave its file.
 */
export async function copyDatabaseOnThread(
  source: CopySource,
  target: string,
  signal: AbortSignal,
): Promise<DatabaseCopy> {
  signal.throwIfAborted();
  const thread = new Worker(worker, {
    workerData: { source, target } satisfies CopyStart,
    execArgv: worker.pathname.endsWith('.ts') ? ['--conditions=@quarterdeck/source'] : [],
  });
  try {
    const [report] = (await once(thread, 'message', { signal })) as [CopyReport];
    if ('failure' in report) throw fromFailure(report.failure);
    return report.copy;
  } finally {
    void end(thread, signal.aborted);
  }
}

/** Ends the thread. A running step of SQLite ends first; nobody waits for it. */
async function end(thread: Worker, isAborted: boolean): Promise<void> {
  if (isAborted) {
    thread.postMessage('abort');
    await delay(ABORT_MS, undefined, { ref: false });
  }
  await thread.terminate();
}
