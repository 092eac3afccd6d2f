// The queue of all writes to the SQLite file. Waiting writes share one transaction, each under a savepoint of its own.
// None settles before its commit is durable; the next group runs meanwhile (decision 077).
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { Tx, WriteOptions } from '../database.ts';
import { DatabaseError, fromDriver, toDatabaseError } from '../database-error.ts';
import { runInScope, WriteScope, writeTimeout } from '../write-scope.ts';
import type { SpaceReserve } from './space-reserve.ts';
import { defaultLimits, type Job, type OutsideJob, type Waiting, type WriteLimits } from './write-job.ts';
import type { WriterConnection } from './writer-connection.ts';

interface Outcome {
  readonly job: Job;
  readonly scope: WriteScope;
  readonly value?: unknown;
  readonly failure?: { readonly error: unknown };
}

/** The write-ahead log, as the queue needs it. */
export interface WriteAheadLog {
  /** Resolves when all commits are durable. */
  sync(): Promise<void>;
  /** Copies to the file what was committed before. */
  copy(): Promise<void>;
  /** Copies everything to the file; no write may run. The log is empty afterwards. */
  end(): Promise<void>;
  /** Number of pages from which on it is copied, and from which on writes wait for that. */
  readonly longPages: number;
  readonly maxPages: number;
  close(): Promise<void>;
}

export class WriteQueue {
  readonly #open: () => WriterConnection;
  readonly #onSignal: () => void;
  readonly #reserve: SpaceReserve;
  readonly #limits: WriteLimits;
  readonly #log: WriteAheadLog;
  /** Commits that are not durable yet, and a copy of the log. */
  readonly #unsettled = new Set<Promise<void>>();
  /** The log is copied beside writes. `isDue`: the writes wait for it and for the rest. */
  #copy: { readonly ended: Promise<void>; isDue: boolean } | undefined;
  /** The disk reported an error for the log: commits behind a gap in it would be lost. */
  #logHasGap = false;
  readonly #timer: NodeJS.Timeout;
  #writer: WriterConnection | undefined;
  #jobs: (Job | OutsideJob)[] = [];
  #draining: Promise<void> | undefined;
  #expire: (() => void) | undefined;
  #closed = false;

  /** `onSignal` is called after each commit that contains a signal. */
  constructor(
    open: () => WriterConnection,
    log: WriteAheadLog,
    reserve: SpaceReserve,
    onSignal: () => void,
    limits: WriteLimits = defaultLimits,
  ) {
    this.#open = open;
    this.#log = log;
    this.#reserve = reserve;
    this.#onSignal = onSignal;
    this.#limits = limits;
    this.#writer = open();
    this.#timer = setTimeout(() => this.#expire?.(), limits.writeMs).unref();
  }

  /** Number of writes that have not begun. */
  get waiting(): number {
    return this.#jobs.length;
  }

  push<T>(work: (tx: Tx) => Promise<T>, { bulk = false }: WriteOptions = {}): Promise<T> {
    return this.#wait((waiting) => ({ ...waiting, work, alone: false }), bulk);
  }

  /**
   * Lets another connection write: the queue runs `outside`, and no other write until it has settled. `outside` gets
   * the time for which it may wait for another program's lock.
   */
  pushOutside<T>(outside: (lockWaitMs: number) => Promise<T>, { bulk = false }: WriteOptions = {}): Promise<T> {
    return this.#wait((waiting) => ({ ...waiting, outside }), bulk);
  }

  #wait<T>(job: (waiting: Waiting) => Job | OutsideJob, bulk: boolean): Promise<T> {
    if (this.#closed) return Promise.reject(new DatabaseError('closed'));
    if (bulk && !this.#reserve.hasSpace) return Promise.reject(new DatabaseError('full'));
    return new Promise<T>((resolve, reject) => {
      const sinceMs = performance.now();
      this.#jobs.push(job({ resolve: (value) => resolve(value as T), reject, sinceMs, bulk }));
      this.#draining ??= this.#drain();
    });
  }

  /** Refuses further writes and waits for the queued ones. */
  async finish(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    await Promise.all(this.#unsettled);
  }

  async close(): Promise<void> {
    await this.finish();
    clearTimeout(this.#timer);
    await this.#log.close();
    this.#writer?.close();
    this.#writer = undefined;
  }

  async #drain(): Promise<void> {
    while (this.#jobs.length > 0) {
      // Further writes of this round of the event loop join the group, and other events are handled meanwhile.
      await nextRound();
      if (this.#logHasGap && !(await this.#closeGap())) continue;
      if (this.#copy?.isDue === true) await this.#finishCopy(this.#copy.ended);
      const [first] = this.#jobs;
      if (first !== undefined && 'outside' in first) {
        this.#jobs.shift();
        await this.#runOutside(first);
        continue;
      }
      const writer = await this.#begin();
      if (writer === undefined) continue;
      const outcomes: Outcome[] = [];
      try {
        await this.#runGroup(writer, outcomes);
      } catch (error) {
        // A bug: no caller is left waiting, and nothing half done is committed.
        this.#recycle();
        for (const { job } of outcomes) job.reject(error);
      }
    }
    this.#draining = undefined;
  }

  async #runOutside({ outside, sinceMs, resolve, reject }: OutsideJob): Promise<void> {
    try {
      resolve(await outside(Math.max(0, this.#limits.busyMs - (performance.now() - sinceMs))));
    } catch (error) {
      reject(error);
    }
  }

  /**
   * Opens the transaction of a group. Waits without blocking while another program holds the file; gives up job by job.
   */
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
        const inTime = this.#jobs.findIndex(({ sinceMs }) => nowMs - sinceMs < this.#limits.busyMs);
        for (const job of this.#jobs.splice(0, inTime === -1 ? this.#jobs.length : inTime)) job.reject(error);
        if (this.#jobs.length === 0) return undefined;
      }
      await delay(waitMs);
    }
  }

  async #runGroup(writer: WriterConnection, outcomes: Outcome[]): Promise<void> {
    const { groupSize, groupMs } = this.#limits;
    const startMs = performance.now();
    while (outcomes.length < groupSize && performance.now() - startMs < groupMs) {
      const job = this.#jobs[0];
      if (job === undefined || 'outside' in job || (job.alone && outcomes.length > 0)) break;
      this.#jobs.shift();
      const outcome = await this.#runJob(writer, job, outcomes.length > 0);
      outcomes.push(outcome);
      if (!writer.inTransaction) {
        // Some errors (a full disk, for one) make SQLite roll back the whole group.
        this.#fail(outcomes, toDatabaseError(outcome.failure?.error) ?? new DatabaseError('io'));
        return;
      }
      if (outcome.failure !== undefined && outcomes.length === 1) {
        // The first write has no savepoint: there is nothing else to keep yet.
        this.#rollback(writer);
        this.#fail(outcomes, outcome.failure.error);
        return;
      }
      if (job.alone) break;
    }
    this.#commit(writer, outcomes);
  }

  async #runJob(writer: WriterConnection, job: Job, savepoint: boolean): Promise<Outcome> {
    const scope = new WriteScope();
    const tx = writer.createTx(scope);
    try {
      if (savepoint) writer.savepoint();
      const value = await this.#limited(() => runInScope(scope, () => job.work(tx)));
      scope.end();
      if (savepoint) writer.release();
      return { job, scope, value };
    } catch (error) {
      scope.end();
      if (savepoint && writer.inTransaction) this.#rollbackToSavepoint(writer);
      return { job, scope, failure: { error } };
    }
  }

  #limited<T>(run: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#expire = () => reject(writeTimeout());
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
      this.#rollback(writer);
      this.#fail(outcomes, fromDriver(thrown));
      return;
    }
    for (const outcome of outcomes) {
      if (outcome.failure !== undefined) this.#fail([outcome], outcome.failure.error);
    }
    this.#settle(outcomes.filter(({ failure }) => failure === undefined));
    this.#copyLongLog(writer.loggedPages);
  }

  /** Answers writes when their commit is durable. */
  #settle(outcomes: readonly Outcome[]): void {
    if (outcomes.length === 0) return;
    const answer = () => {
      for (const { job, value } of outcomes) job.resolve(value);
      if (outcomes.some(({ scope }) => scope.signalled)) this.#onSignal();
    };
    const refuse = (error: unknown) => {
      this.#logHasGap = true;
      for (const { job } of outcomes) job.reject(error);
    };
    this.#keep(this.#log.sync().then(answer, refuse));
  }

  /**
   * Copies the log to the file, most of it beside writes. SQLite starts the log over when all of it was copied, which
   * never is so while writes go on: they wait for the rest, which is short.
   */
  #copyLongLog(pages: number): void {
    if (this.#copy === undefined && pages >= this.#log.longPages) {
      // After a failure nothing is lost: the log holds everything, and a later commit tries again.
      const ended = this.#log.copy().catch(() => {});
      const copy = { ended, isDue: false };
      this.#copy = copy;
      this.#keep(
        ended.then(() => {
          copy.isDue = true;
        }),
      );
    }
    if (this.#copy !== undefined && pages >= this.#log.maxPages) this.#copy.isDue = true;
  }

  async #finishCopy(ended: Promise<void>): Promise<void> {
    await ended;
    await this.#log.copy().catch(() => {});
    this.#copy = undefined;
  }

  #keep(work: Promise<void>): void {
    this.#unsettled.add(work);
    void work.then(() => this.#unsettled.delete(work));
  }

  /**
   * Makes all commits durable without the log, by copying it to the file. Refuses the writes that wait where that fails
   * too.
   */
  async #closeGap(): Promise<boolean> {
    await Promise.all(this.#unsettled);
    try {
      await this.#log.end();
      this.#logHasGap = false;
      return true;
    } catch (thrown) {
      const error = toDatabaseError(thrown) ?? new DatabaseError('io', undefined, { cause: thrown });
      for (const job of this.#jobs.splice(0)) job.reject(error);
      return false;
    }
  }

  /**
   * Rejects a group of which nothing was stored. If only space was missing, its writes are tried again one by one: a
   * large write that does not fit must not fail the small ones, for which space is reserved.
   */
  #fail(outcomes: readonly Outcome[], error: unknown): void {
    const freed = isFull(error) && this.#reserve.release();
    const again: Job[] = [];
    for (const { job, failure } of outcomes) {
      // Another write of the group may have caused an error of the work, but not a fault of the database.
      const innocent = failure === undefined || (outcomes.length > 1 && !(failure.error instanceof DatabaseError));
      const chance = freed ? innocent || isFull(failure?.error) : innocent && outcomes.length > 1;
      if (isFull(error) && chance && !(job.bulk && !this.#reserve.hasSpace)) again.push({ ...job, alone: true });
      else job.reject(failure?.error ?? error);
    }
    this.#jobs.unshift(...again);
  }

  #rollbackToSavepoint(writer: WriterConnection): void {
    try {
      writer.rollbackToSavepoint();
    } catch {
      // The group must not be committed then.
      this.#rollback(writer);
    }
  }

  /** Rolls back; replaces the connection if that fails. */
  #rollback(writer: WriterConnection): void {
    try {
      if (writer.inTransaction) writer.rollback();
    } catch {
      // The check below replaces the connection.
    }
    if (writer.inTransaction) this.#recycle();
  }

  #recycle(): void {
    const writer = this.#writer;
    this.#writer = undefined;
    try {
      // Closing rolls back; the next write opens a new one.
      writer?.close();
    } catch {
      // The connection is given up in any case.
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'full';
}
