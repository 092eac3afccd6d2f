// Every write to the SQLite file goes through here, one after another. Those that wait are put into one transaction, each under a
// savepoint of its own, and share one sync to the disk; none is told of its success, or failure, before that.
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { Door } from '../database.ts';
import { DatabaseError, fromDriver, toDatabaseError } from '../database-error.ts';
import { overtime, play, Turn } from '../turn.ts';
import type { WriterConnection } from './writer-connection.ts';

const groupSize = 64;
const groupMs = 10;
const turnMs = 5000;
const busyMs = 1000;

interface Job {
  readonly work: (tx: Door) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
}

interface Outcome {
  readonly job: Job;
  readonly turn: Turn;
  readonly value?: unknown;
  readonly failure?: { readonly error: unknown };
}

export class WriteQueue {
  readonly #open: () => WriterConnection;
  readonly #onSignal: () => void;
  readonly #timer: NodeJS.Timeout;
  #writer: WriterConnection | undefined;
  #jobs: Job[] = [];
  #draining: Promise<void> | undefined;
  #expire: (() => void) | undefined;
  #closed = false;

  /** `onSignal` is called after each commit that contains a signal. */
  constructor(open: () => WriterConnection, onSignal: () => void) {
    this.#open = open;
    this.#onSignal = onSignal;
    this.#writer = open();
    this.#timer = setTimeout(() => this.#expire?.(), turnMs).unref();
  }

  /** Loads what the first write would otherwise wait for. */
  async warmUp(): Promise<void> {
    await this.#writer?.warmUp();
  }

  push<T>(work: (tx: Door) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new DatabaseError('closed'));
    return new Promise<T>((resolve, reject) => {
      this.#jobs.push({ work, resolve: (value) => resolve(value as T), reject, sinceMs: performance.now() });
      this.#draining ??= this.#drain();
    });
  }

  /** Lets the queue run empty, then closes the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    clearTimeout(this.#timer);
    await this.#writer?.close();
    this.#writer = undefined;
  }

  async #drain(): Promise<void> {
    while (this.#jobs.length > 0) {
      // Whoever else has something to write by the end of this round of the event loop joins the group; and the loop gets its turn.
      await nextRound();
      const writer = await this.#begin();
      if (writer !== undefined) await this.#runGroup(writer);
    }
    this.#draining = undefined;
  }

  /** Opens the transaction of a group. When someone else holds the file, waits without blocking; gives up job by job. */
  async #begin(): Promise<WriterConnection | undefined> {
    for (let waitMs = 2; ; waitMs = Math.min(waitMs * 2, 25)) {
      try {
        this.#writer ??= this.#open();
        this.#writer.begin();
        return this.#writer;
      } catch (thrown) {
        const error = fromDriver(thrown);
        if (!(error instanceof DatabaseError && error.kind === 'busy')) {
          this.#recycle();
          for (const job of this.#jobs.splice(0)) job.reject(error);
          return undefined;
        }
        const nowMs = performance.now();
        const patient = this.#jobs.findIndex(({ sinceMs }) => nowMs - sinceMs < busyMs);
        for (const job of this.#jobs.splice(0, patient === -1 ? this.#jobs.length : patient)) job.reject(error);
        if (this.#jobs.length === 0) return undefined;
      }
      await delay(waitMs);
    }
  }

  async #runGroup(writer: WriterConnection): Promise<void> {
    const outcomes: Outcome[] = [];
    const startMs = performance.now();
    while (outcomes.length < groupSize && performance.now() - startMs < groupMs) {
      const job = this.#jobs.shift();
      if (job === undefined) break;
      const outcome = await this.#runJob(writer, job, outcomes.length > 0);
      outcomes.push(outcome);
      if (!writer.inTransaction) {
        // Some errors (a full disk, for one) make SQLite roll back everything, the neighbours' work too.
        const cause = toDatabaseError(outcome.failure?.error) ?? new DatabaseError('io');
        for (const { job, failure } of outcomes) job.reject(failure?.error ?? cause);
        return;
      }
      if (outcome.failure !== undefined && outcomes.length === 1) {
        // The first has no savepoint: there is nothing else to keep yet.
        this.#rollback(writer);
        job.reject(outcome.failure.error);
        return;
      }
    }
    this.#commit(writer, outcomes);
  }

  async #runJob(writer: WriterConnection, job: Job, savepoint: boolean): Promise<Outcome> {
    const turn = new Turn();
    const door = writer.door(turn);
    try {
      if (savepoint) writer.savepoint();
      const value = await this.#limited(() => play(turn, () => job.work(door)));
      turn.end();
      writer.leave(turn);
      if (savepoint) writer.release();
      return { job, turn, value };
    } catch (error) {
      turn.end();
      writer.leave(turn);
      if (savepoint && writer.inTransaction) this.#rollbackToSavepoint(writer);
      return { job, turn, failure: { error } };
    }
  }

  #limited<T>(run: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#expire = () => reject(overtime());
      this.#timer.refresh();
      run().then(resolve, reject);
    }).finally(() => {
      this.#expire = undefined;
    });
  }

  #commit(writer: WriterConnection, outcomes: readonly Outcome[]): void {
    try {
      writer.commit();
    } catch (thrown) {
      const error = fromDriver(thrown);
      this.#rollback(writer);
      for (const { job, failure } of outcomes) job.reject(failure?.error ?? error);
      return;
    }
    for (const { job, value, failure } of outcomes) {
      if (failure === undefined) job.resolve(value);
      else job.reject(failure.error);
    }
    if (outcomes.some(({ turn, failure }) => turn.signalled && failure === undefined)) this.#onSignal();
  }

  #rollbackToSavepoint(writer: WriterConnection): void {
    try {
      writer.rollbackToSavepoint();
    } catch {
      // Then the group must not be committed either.
      this.#rollback(writer);
    }
  }

  /** Leaves no transaction behind, whatever it takes. */
  #rollback(writer: WriterConnection): void {
    try {
      if (writer.inTransaction) writer.rollback();
    } catch {
      // Decided by what is left, below.
    }
    if (writer.inTransaction) this.#recycle();
  }

  #recycle(): void {
    const writer = this.#writer;
    this.#writer = undefined;
    // Closing rolls back; the next write opens a new one.
    void writer?.close().catch(() => {});
  }
}
