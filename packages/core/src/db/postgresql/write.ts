// A write on PostgreSQL: a transaction on a connection of the pool, for Prisma and prepared statements alike.
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Tx, WriteOptions } from '../database.ts';
import { DatabaseError, errorCodes, fromDriver } from '../database-error.ts';
import type { PrismaSession, SharedPrisma } from '../shared-prisma.ts';
import { runInScope, WriteScope, writeTimeout } from '../write-scope.ts';
import { WriteTx } from '../write-tx.ts';
import { ConnectionQueryable, type Queryable } from './queryable.ts';
import { PostgresSql } from './statements.ts';

const attempts = 4;

/** Runs a statement of a write, after the savepoint that Prisma may have open. A failure fails the write. */
async function runStatement<T>(
  scope: WriteScope,
  session: PrismaSession | undefined,
  run: () => Promise<T>,
): Promise<T> {
  while (session?.held) await scope.track(() => session.untilFree());
  try {
    return await scope.track(run);
  } catch (error) {
    scope.fail(error);
    throw error;
  }
}

export class PostgresWrites {
  readonly #pool: pg.Pool;
  readonly #notify: string;
  readonly #onSignal: () => void;
  readonly #limitMs: number;
  readonly #prisma: SharedPrisma;

  /** `notify` is the statement that signals to other processes; `onSignal` is called in this one. */
  constructor(pool: pg.Pool, prisma: SharedPrisma, notify: string, onSignal: () => void, limitMs: number) {
    this.#limitMs = limitMs;
    this.#pool = pool;
    this.#prisma = prisma;
    this.#notify = notify;
    this.#onSignal = onSignal;
  }

  async run<T>(work: (tx: Tx) => Promise<T>, { endsPipelined = false }: WriteOptions = {}): Promise<T> {
    const deadlineMs = performance.now() + this.#limitMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work, deadlineMs, endsPipelined);
      } catch (error) {
        if (attempt === attempts || !collided(error)) throw error;
        // A random time, so that the writes of a deadlock do not collide again.
        await delay(Math.random() * 10 * attempt);
      }
    }
  }

  async #attempt<T>(work: (tx: Tx) => Promise<T>, deadlineMs: number, endsPipelined: boolean): Promise<T> {
    const client = await driver(this.#pool.connect());
    const scope = new WriteScope();
    const tx = new WriteTx(
      scope,
      () => this.#prisma.openSession(scope, new ConnectionQueryable(client)),
      (session) => new PostgresSql(client, this.#prisma.times, (run) => runStatement(scope, session(), run)),
    );
    const timer: { expire: () => void } = { expire: () => {} };
    const timeout = setTimeout(() => timer.expire(), Math.max(deadlineMs - performance.now(), 0));
    const late = new Promise<never>((_, reject) => {
      // Once the scope has ended, only the COMMIT is left, and its outcome is unknown.
      timer.expire = () => reject(scope.active ? writeTimeout() : new DatabaseError('unavailable'));
    });
    let broken = true;
    try {
      const value = await Promise.race([this.#transact(client, scope, () => work(tx), endsPipelined), late]);
      broken = false;
      if (scope.signalled) this.#onSignal();
      return value;
    } catch (error) {
      scope.end();
      broken = !(await rollback(client, error));
      const first = scope.failure?.error;
      // A collision is a reason to try again, whichever error the write threw because of it. After any failure
      // PostgreSQL refuses the statements that were sent behind it.
      throw collided(first) || (first !== undefined && isRefusedAfterFailure(error)) ? first : error;
    } finally {
      clearTimeout(timeout);
      scope.end();
      // A connection in an unknown state is closed, and the server rolls back what it had begun.
      client.release(broken);
    }
  }

  async #transact<T>(
    client: pg.PoolClient,
    scope: WriteScope,
    work: () => Promise<T>,
    endsPipelined: boolean,
  ): Promise<T> {
    // Sent with the first statement of the write. Where it is refused, nothing is written: sessions are read-only.
    const begun = begin(client);
    begun.catch(() => {});
    const value = await runInScope(scope, work, endsPipelined).catch(async (error: unknown) => {
      await begun;
      throw error;
    });
    if (!endsPipelined) await begun;
    scope.check();
    scope.end();
    await commit(client, scope.signalled ? `${this.#notify}; COMMIT` : 'COMMIT').catch(async (error: unknown) => {
      await begun;
      // PostgreSQL answers a COMMIT behind a statement that failed with a ROLLBACK.
      throw scope.failure?.error ?? error;
    });
    await begun;
    return value;
  }
}

/** Begins a transaction. A primary that has become a standby refuses it: the connection is of no more use. */
async function begin(client: Queryable): Promise<void> {
  try {
    await client.query('BEGIN READ WRITE');
  } catch (thrown) {
    const error = fromDriver(thrown);
    throw error instanceof DatabaseError ? error : new DatabaseError('unavailable', undefined, { cause: error });
  }
}

/** Code of a warning. At a COMMIT it means: cancelled while it waited for the synchronous standby. */
const WARNING = '01000';

/** Commits. Rejects where the data is stored, but perhaps not on the synchronous standby. */
async function commit(client: pg.PoolClient, sql: string): Promise<void> {
  let isCancelled = false;
  const note = ({ code }: { readonly code?: string | undefined }) => {
    isCancelled ||= code === WARNING;
  };
  client.on('notice', note);
  try {
    const ending: pg.QueryResult | pg.QueryResult[] = await driver(client.query(sql));
    const last = Array.isArray(ending) ? ending.at(-1) : ending;
    // PostgreSQL answers ROLLBACK when a statement had failed and there is nothing left to commit.
    if (last?.command !== 'COMMIT') throw new DatabaseError('io', 'PostgreSQL rolled this transaction back.');
  } finally {
    client.off('notice', note);
  }
  if (isCancelled) throw new DatabaseError('unavailable');
}

/** Translates the errors of statements of this file; errors that the write throws stay as they are. */
async function driver<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    throw fromDriver(error);
  }
}

/** Rolls back if the connection works; returns false otherwise. */
async function rollback(client: Queryable, error: unknown): Promise<boolean> {
  if (error instanceof DatabaseError && (error.kind === 'unavailable' || error.kind === 'timeout')) return false;
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

const isRefusedAfterFailure = (error: unknown): boolean => [...errorCodes(error)].includes('25P02');

function collided(error: unknown): boolean {
  return [...errorCodes(error)].some((code) => code === '40001' || code === '40P01');
}
