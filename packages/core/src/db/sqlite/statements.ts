// Prepared statements over a better-sqlite3 handle. They run synchronously; the promises are there for PostgreSQL's
// sake.
import type { Database as Connection, Statement as Prepared } from 'better-sqlite3';
import { type Ran, replacePlaceholders, type Sql, type SqlValue, type Statement } from '../database.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import type { PrismaLane } from '../prisma-lane.ts';
import type { Turn } from '../turn.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Each statement is prepared once per connection and kept for as long as somebody holds it. SQLite would plan some of them (every
 * join) anew for each value they are given; behind a plus sign, which does nothing, it does not see the value (11
 * against 4 microseconds).
 */
export class StatementCache {
  readonly connection: Connection;
  // Weak: who makes statements as they are needed may let them go again.
  readonly #prepared = new WeakMap<Statement, Prepared>();

  constructor(connection: Connection) {
    this.connection = connection;
  }

  prepare(statement: Statement): Prepared {
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      prepared = this.connection.prepare(replacePlaceholders(statement.sqlite, () => '+?'));
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }
}

/**
 * better-sqlite3 binds every number as floating-point, with which SQLite then calculates; whole ones are meant as
 * integers.
 */
export function toInteger(value: number): number | bigint {
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

function bind(params: SqlValue[]): SqlValue[] {
  for (let i = 0; i < params.length; i += 1) {
    const value = params[i];
    if (typeof value === 'number') params[i] = toInteger(value);
  }
  return params;
}

export class ReadSql implements Sql {
  readonly #cache: StatementCache;
  readonly #snapshot: Snapshot;

  constructor(cache: StatementCache, snapshot: Snapshot) {
    this.#cache = cache;
    this.#snapshot = snapshot;
  }

  async all<R>(statement: Statement, ...params: SqlValue[]): Promise<R[]> {
    try {
      this.#snapshot.hold();
      return this.#cache.prepare(statement).all(...bind(params)) as R[];
    } catch (error) {
      throw fromDriver(error);
    }
  }

  async get<R>(statement: Statement, ...params: SqlValue[]): Promise<R | undefined> {
    try {
      this.#snapshot.hold();
      return this.#cache.prepare(statement).get(...bind(params)) as R | undefined;
    } catch (error) {
      throw fromDriver(error);
    }
  }

  async run(statement: Statement, ...params: SqlValue[]): Promise<Ran> {
    try {
      this.#snapshot.hold();
      return this.#cache.prepare(statement).run(...bind(params));
    } catch (error) {
      throw fromDriver(error);
    }
  }
}

/** The statements of one write. */
export class TurnSql implements Sql {
  readonly #cache: StatementCache;
  readonly #lane: PrismaLane;
  readonly #turn: Turn;

  constructor(cache: StatementCache, lane: PrismaLane, turn: Turn) {
    this.#cache = cache;
    this.#lane = lane;
    this.#turn = turn;
  }

  all<R>(statement: Statement, ...params: SqlValue[]): Promise<R[]> {
    return this.#run(statement, (prepared) => prepared.all(...bind(params)) as R[]);
  }

  get<R>(statement: Statement, ...params: SqlValue[]): Promise<R | undefined> {
    return this.#run(statement, (prepared) => prepared.get(...bind(params)) as R | undefined);
  }

  run(statement: Statement, ...params: SqlValue[]): Promise<Ran> {
    return this.#run(statement, (prepared) => prepared.run(...bind(params)));
  }

  async #run<T>(statement: Statement, execute: (prepared: Prepared) => T): Promise<T> {
    while (this.#lane.held) await this.#turn.track(() => this.#lane.untilFree());
    this.#turn.check();
    try {
      // SQLite rolls back by itself only when a statement failed; asking it each time costs as much as a small statement.
      if (this.#turn.failure !== undefined) checkTransaction(this.#cache.connection);
      return execute(this.#cache.prepare(statement));
    } catch (thrown) {
      const error = fromDriver(thrown);
      this.#turn.fail(error);
      throw error;
    }
  }
}

/** After some errors SQLite rolls back by itself; a statement that came next would be committed on its own. */
export function checkTransaction(connection: Connection): void {
  if (!connection.inTransaction) throw new DatabaseError('io', 'SQLite rolled this transaction back.');
}
