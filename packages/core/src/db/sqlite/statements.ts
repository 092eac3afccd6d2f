// Prepared statements over a better-sqlite3 connection. They run synchronously; PostgreSQL needs the promises.
import type { Database as Connection, Statement as Prepared } from 'better-sqlite3';
import { type Ran, replacePlaceholders, type Sql, type SqlValue, type Statement, type SyncSql } from '../database.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import type { PrismaSession } from '../shared-prisma.ts';
import type { StatementTimes } from '../statement-times.ts';
import type { WriteScope } from '../write-scope.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Prepares each statement once per connection. SQLite would plan some of them (every join) again for each value; behind
 * a plus sign, which does nothing, it does not see the value (4 microseconds instead of 11). Where numbers only meet
 * columns, the sign would cost a conversion of each (3.0 microseconds instead of 1.7 to find a group).
 */
export class StatementCache {
  readonly connection: Connection;
  // Weak: statements that are created on demand can be collected.
  readonly #prepared = new WeakMap<Statement, Prepared>();

  readonly #times: StatementTimes | undefined;

  /** Without `times` nothing is measured: a thread of the intake runs thousands of statements in a write. */
  constructor(connection: Connection, times?: StatementTimes) {
    this.connection = connection;
    this.#times = times;
  }

  /** Runs a statement, and measures it where times are collected. */
  execute(method: 'all' | 'get' | 'run', statement: Statement, params: SqlValue[]): unknown {
    const prepared = this.#prepare(statement);
    const values = bind(statement, params);
    const times = this.#times;
    if (times === undefined) return prepared[method](...values);
    const startMs = performance.now();
    try {
      return prepared[method](...values);
    } finally {
      times.add(times.familyOf(statement), startMs);
    }
  }

  #prepare(statement: Statement): Prepared {
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      const placeholder = statement.numbersMeetColumns ? '?' : '+?';
      prepared = this.connection.prepare(replacePlaceholders(statement.sqlite, () => placeholder));
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }
}

/**
 * Converts whole numbers to integers: better-sqlite3 binds every number as floating-point, and SQLite would calculate
 * with that.
 */
export function toInteger(value: number): number | bigint {
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

function bind(statement: Statement, params: SqlValue[]): SqlValue[] {
  if (statement.numbersMeetColumns) return params;
  for (let i = 0; i < params.length; i += 1) {
    const value = params[i];
    if (typeof value === 'number') params[i] = toInteger(value);
  }
  return params;
}

export class ReadSql implements Sql {
  readonly #cache: StatementCache;
  readonly #snapshot: Pick<Snapshot, 'hold'>;

  constructor(cache: StatementCache, snapshot: Pick<Snapshot, 'hold'>) {
    this.#cache = cache;
    this.#snapshot = snapshot;
  }

  async all<R>(statement: Statement, ...params: SqlValue[]): Promise<R[]> {
    try {
      this.#snapshot.hold();
      return this.#cache.execute('all', statement, params) as R[];
    } catch (error) {
      throw fromDriver(error);
    }
  }

  async get<R>(statement: Statement, ...params: SqlValue[]): Promise<R | undefined> {
    try {
      this.#snapshot.hold();
      return this.#cache.execute('get', statement, params) as R | undefined;
    } catch (error) {
      throw fromDriver(error);
    }
  }

  async run(statement: Statement, ...params: SqlValue[]): Promise<Ran> {
    try {
      this.#snapshot.hold();
      return this.#cache.execute('run', statement, params) as Ran;
    } catch (error) {
      throw fromDriver(error);
    }
  }
}

/** Synchronous statements of a write. `check` runs before each and may refuse it by throwing. */
export class WriteSql implements SyncSql {
  readonly #cache: StatementCache;
  readonly #scope: WriteScope;
  readonly #check: () => void;

  constructor(cache: StatementCache, scope: WriteScope, check: () => void = () => {}) {
    this.#cache = cache;
    this.#scope = scope;
    this.#check = check;
  }

  all<R>(statement: Statement, ...params: SqlValue[]): R[] {
    this.#scope.check();
    this.#check();
    try {
      return this.#execute('all', statement, params) as R[];
    } catch (error) {
      throw this.#failed(error);
    }
  }

  get<R>(statement: Statement, ...params: SqlValue[]): R | undefined {
    this.#scope.check();
    this.#check();
    try {
      return this.#execute('get', statement, params) as R | undefined;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  run(statement: Statement, ...params: SqlValue[]): Ran {
    this.#scope.check();
    this.#check();
    try {
      return this.#execute('run', statement, params) as Ran;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #execute(method: 'all' | 'get' | 'run', statement: Statement, params: SqlValue[]): unknown {
    // SQLite rolls back by itself only after a failed statement; each check costs as much as a small statement.
    if (this.#scope.failure !== undefined) checkTransaction(this.#cache.connection);
    return this.#cache.execute(method, statement, params);
  }

  #failed(thrown: unknown): unknown {
    const error = fromDriver(thrown);
    this.#scope.fail(error);
    return error;
  }
}

/** The statements of one write. */
export class ScopedSql implements Sql {
  readonly sync: SyncSql;
  readonly #scope: WriteScope;
  readonly #session: () => Pick<PrismaSession, 'held' | 'untilFree'> | undefined;

  /** `session` is that of Prisma in this write, where it has one. `check` may refuse a statement by throwing. */
  constructor(
    cache: StatementCache,
    scope: WriteScope,
    session: () => Pick<PrismaSession, 'held' | 'untilFree'> | undefined = () => undefined,
    check: () => void = () => {},
  ) {
    this.#scope = scope;
    this.#session = session;
    this.sync = new WriteSql(cache, scope, () => {
      check();
      // Prisma's savepoint could roll the statement back.
      if (session()?.held) throw new Error('A statement came while Prisma was at work.');
    });
  }

  async all<R>(statement: Statement, ...params: SqlValue[]): Promise<R[]> {
    if (this.#session()?.held) await this.#untilFree();
    return this.sync.all<R>(statement, ...params);
  }

  async get<R>(statement: Statement, ...params: SqlValue[]): Promise<R | undefined> {
    if (this.#session()?.held) await this.#untilFree();
    return this.sync.get<R>(statement, ...params);
  }

  async run(statement: Statement, ...params: SqlValue[]): Promise<Ran> {
    if (this.#session()?.held) await this.#untilFree();
    return this.sync.run(statement, ...params);
  }

  async #untilFree(): Promise<void> {
    const session = this.#session();
    while (session?.held) await this.#scope.track(() => session.untilFree());
  }
}

/** Throws if SQLite has rolled back by itself, as after some errors: the next statement would commit on its own. */
export function checkTransaction(connection: Connection): void {
  if (!connection.inTransaction) throw new DatabaseError('io', 'SQLite rolled this transaction back.');
}
