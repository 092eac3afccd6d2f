// One write on PostgreSQL: a transaction on a connection of the pool, in which Prisma and prepared statements both take
// part.
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Prisma, Sql, Tx } from '../database.ts';
import { DatabaseError, errorCodes, fromDriver } from '../database-error.ts';
import { PrismaClient } from '../generated/postgresql/client.ts';
import { PrismaSession } from '../prisma-session.ts';
import { runInScope, WriteScope, writeTimeout } from '../write-scope.ts';
import { oneAtATime, PinnedQueryable, type Queryable } from './pinned.ts';
import { answerMs } from './pool.ts';
import { PostgresSql } from './statements.ts';

const attempts = 4;

interface Lane {
  readonly prisma: PrismaSession;
  readonly connection: PinnedQueryable;
}

class PostgresTx implements Tx {
  readonly sql: Sql;
  readonly #lanes: Lane[];
  readonly #client: Queryable;
  readonly #turn: WriteScope;
  #lane: Lane | undefined;
  #prisma: Prisma | undefined;

  constructor(lanes: Lane[], client: Queryable, turn: WriteScope) {
    this.#lanes = lanes;
    this.#client = client;
    this.#turn = turn;
    this.sql = new PostgresSql(client, async (run) => {
      const lane = this.#lane?.prisma;
      while (lane?.held === true) await turn.track(() => lane.untilFree());
      try {
        return await turn.track(run);
      } catch (error) {
        if (turn.active) turn.fail(error);
        throw error;
      }
    });
  }

  get prisma(): Prisma {
    this.#turn.check();
    if (this.#prisma === undefined) {
      // Most writes need no Prisma, and few run at once: clients are made when there is none at hand, and kept.
      this.#lane = this.#lanes.pop() ?? createLane();
      this.#lane.connection.target = this.#client;
      this.#prisma = this.#lane.prisma.enter(this.#turn);
    }
    return this.#prisma;
  }

  signal(): void {
    this.#turn.check();
    this.#turn.signalled = true;
  }

  /** Gives the Prisma client back, if there is one and it is at rest. */
  leave(): void {
    if (this.#lane === undefined) return;
    this.#lane.connection.target = undefined;
    if (this.#lane.prisma.leave(this.#turn)) this.#lanes.push(this.#lane);
  }
}

function createLane(): Lane {
  const connection = new PinnedQueryable();
  const prisma = new PrismaSession(connection, (adapter) => new PrismaClient({ adapter, errorFormat: 'minimal' }));
  return { prisma, connection };
}

export class PostgresWrites {
  readonly #pool: pg.Pool;
  readonly #notify: string;
  readonly #onSignal: () => void;
  readonly #limitMs: number;
  readonly #lanes: Lane[] = [];

  /** `notify` is the statement that tells the other processes; `onSignal` tells this one. */
  constructor(pool: pg.Pool, notify: string, onSignal: () => void, limitMs = answerMs) {
    this.#limitMs = limitMs;
    this.#pool = pool;
    this.#notify = notify;
    this.#onSignal = onSignal;
  }

  /** Loads what the first write would otherwise wait for. */
  async warmUp(): Promise<void> {
    const lane = createLane();
    await lane.prisma.warmUp();
    this.#lanes.push(lane);
  }

  async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + this.#limitMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work, deadlineMs);
      } catch (error) {
        if (attempt === attempts || !collided(error)) throw error;
        // The others that took part in the deadlock wait a different time.
        await delay(Math.random() * 10 * attempt);
      }
    }
  }

  async #attempt<T>(work: (tx: Tx) => Promise<T>, deadlineMs: number): Promise<T> {
    const client = await driver(this.#pool.connect());
    const queue = oneAtATime(client);
    const turn = new WriteScope();
    const door = new PostgresTx(this.#lanes, queue, turn);
    const timer: { expire: () => void } = { expire: () => {} };
    const timeout = setTimeout(() => timer.expire(), Math.max(deadlineMs - performance.now(), 0));
    const late = new Promise<never>((_, reject) => {
      // Once the turn is over only the COMMIT is left, and what becomes of it is not known.
      timer.expire = () => reject(turn.active ? writeTimeout() : new DatabaseError('unavailable'));
    });
    let broken = true;
    try {
      const value = await Promise.race([this.#transact(queue, turn, door, work), late]);
      broken = false;
      if (turn.signalled) this.#onSignal();
      return value;
    } catch (error) {
      turn.end();
      broken = !(await rollback(queue, error));
      // Whatever the write made of it, a collision is a reason to try again.
      throw collided(turn.failure?.error) ? turn.failure?.error : error;
    } finally {
      clearTimeout(timeout);
      turn.end();
      door.leave();
      // A connection in an unknown state is closed, and the server rolls back what it had begun.
      client.release(broken);
    }
  }

  async #transact<T>(client: Queryable, turn: WriteScope, door: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
    await driver(client.query('BEGIN READ WRITE'));
    const value = await runInScope(turn, () => work(door));
    turn.check();
    turn.end();
    const ending = await driver(client.query(turn.signalled ? `${this.#notify}; COMMIT` : 'COMMIT'));
    const last: pg.QueryResult | undefined = Array.isArray(ending) ? ending.at(-1) : ending;
    // PostgreSQL answers ROLLBACK when a statement had failed and there is nothing left to commit.
    if (last?.command !== 'COMMIT') throw new DatabaseError('io', 'PostgreSQL rolled this transaction back.');
    return value;
  }
}

/** Marks the errors of what we ask for ourselves; those of the write's own making stay as they are. */
async function driver<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    throw fromDriver(error);
  }
}

/** Rolls back if the connection is good for it. */
async function rollback(client: Queryable, error: unknown): Promise<boolean> {
  if (error instanceof DatabaseError && (error.kind === 'unavailable' || error.kind === 'timeout')) return false;
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

function collided(error: unknown): boolean {
  return [...errorCodes(error)].some((code) => code === '40001' || code === '40P01');
}
