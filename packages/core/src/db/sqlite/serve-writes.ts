// The thread's side of a thread that writes: transactions on a connection of its own, when the main thread requests
// them.
import { parentPort, workerData } from 'node:worker_threads';
import type { Database as Connection } from 'better-sqlite3';
import type { SqlTx } from '../database.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import { toFailure } from '../failure.ts';
import { runInScope, WriteScope, writeTimeout } from '../write-scope.ts';
import { openWriter } from './connection.ts';
import type { DiskLimits } from './disk-limits.ts';
import { checkTransaction, ScopedSql, StatementCache } from './statements.ts';
import type { ThreadReport, ThreadRequest, ThreadStart } from './thread-messages.ts';

/** One transaction: durable when it resolves, or nothing of it is stored. */
export type Transact = <T>(work: (tx: SqlTx) => Promise<T>) => Promise<T>;

/** Work of a thread. */
export interface ThreadWrites<Message, Answer> {
  /** Takes a message. It must not throw: an error ends the thread, and its messages are lost. */
  take(message: Message): void;
  /** Writes, in as many transactions as it needs. No other write runs until it settles. */
  write(transact: Transact): Promise<Answer>;
}

/** Share of the longest write-ahead log beyond which it is copied to the file, once the write is answered. */
const CHECKPOINT_SHARE = 6 / 7;
/** Kilobytes of cached pages: lookups by fingerprint reach every page of that index. */
const CACHE_KB = 40_000;
/** Time between two attempts at a lock of another program. */
const BUSY_WAIT_MS = 5;

/**
 * Serves the main thread: `make` gets the settings of the thread. Call it once, in a thread's own module. SQLite checks
 * no foreign keys here: the writes themselves must keep them.
 */
export function serveWrites<Settings, Message, Answer>(
  make: (settings: Settings) => ThreadWrites<Message, Answer>,
): void {
  const port = parentPort;
  if (port === null) throw new Error('serveWrites runs in a thread.');
  const { file, limits, writeMs, settings } = workerData as ThreadStart;
  const writer = new ThreadWriter(file, limits, writeMs);
  const writes = make(settings as Settings);
  const send = (report: ThreadReport) => port.postMessage(report);

  async function write(lockWaitMs: number): Promise<void> {
    writer.startWrite(lockWaitMs);
    try {
      const answer = await writes.write(writer.transact);
      send({ kind: 'written', answer, full: writer.full });
    } catch (error) {
      send({ kind: 'failed', failure: toFailure(error), full: writer.full });
    }
    writer.checkpoint();
  }

  port.on('message', (request: ThreadRequest) => {
    if (request.kind === 'message') writes.take(request.message as Message);
    else if (request.kind === 'write') void write(request.lockWaitMs);
    else {
      writer.close();
      port.close();
    }
  });
}

class ThreadWriter {
  readonly #connection: Connection;
  readonly #cache: StatementCache;
  readonly #writeMs: number;
  readonly #checkpointPages: number;
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  #lockWaitUntilMs = 0;
  /** A transaction of this write found no space. */
  full = false;

  constructor(file: string, limits: DiskLimits, writeMs: number) {
    this.#connection = openWriter(file, limits);
    this.#checkpointPages = Math.floor(limits.walPages * CHECKPOINT_SHARE);
    // The checkpoint runs after the answer.
    this.#connection.pragma('wal_autocheckpoint = 0');
    this.#connection.pragma(`cache_size = -${CACHE_KB}`);
    // A check costs a lookup for each row, and for a statement of many rows a copy of each page that it writes.
    this.#connection.pragma('foreign_keys = OFF');
    this.#cache = new StatementCache(this.#connection);
    this.#writeMs = writeMs;
  }

  startWrite(lockWaitMs: number): void {
    this.#lockWaitUntilMs = performance.now() + lockWaitMs;
    this.full = false;
  }

  readonly transact: Transact = async (work) => {
    this.#begin();
    const scope = new WriteScope();
    const deadlineMs = performance.now() + this.#writeMs;
    const sql = new ScopedSql(this.#cache, scope, undefined, () => {
      if (performance.now() > deadlineMs) throw writeTimeout();
    });
    try {
      const value = await runInScope(scope, () => work({ sql }));
      scope.end();
      checkTransaction(this.#connection);
      this.#connection.exec('COMMIT');
      return value;
    } catch (error) {
      scope.end();
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      const known = fromDriver(error);
      if (known instanceof DatabaseError && known.kind === 'full') this.full = true;
      throw known;
    }
  };

  /** Copies the write-ahead log to the file when it is long or the disk is full, as far as no reader needs it. */
  checkpoint(): void {
    try {
      const [state] = this.#connection.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
      if (this.full || state.log - state.checkpointed >= this.#checkpointPages)
        this.#connection.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // The disk may be full. Nothing is lost: the log holds everything, and the next write tries again.
    }
  }

  close(): void {
    this.#connection.close();
  }

  /** Begins a transaction. Sleeps while another program holds the file: the thread has nothing else to do. */
  #begin(): void {
    for (;;) {
      try {
        this.#connection.exec('BEGIN IMMEDIATE');
        return;
      } catch (thrown) {
        const error = fromDriver(thrown);
        const isBusy = error instanceof DatabaseError && error.kind === 'busy';
        if (!isBusy || performance.now() > this.#lockWaitUntilMs) throw error;
      }
      Atomics.wait(this.#pause, 0, 0, BUSY_WAIT_MS);
    }
  }
}
