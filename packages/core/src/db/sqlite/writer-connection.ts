// The one connection that writes, with everything bound to it: its prepared statements, and the Prisma client that
// shares it.
import type { Database as Connection, Statement as Prepared } from 'better-sqlite3';
import type { Prisma, Sql, Tx } from '../database.ts';
import { PrismaClient } from '../generated/sqlite/client.ts';
import { PrismaSession } from '../prisma-session.ts';
import type { WriteScope } from '../write-scope.ts';
import { openWriter } from './connection.ts';
import { SqliteQueryable } from './queryable.ts';
import { checkTransaction, ScopedSql, StatementCache } from './statements.ts';

class TurnDoor implements Tx {
  readonly sql: Sql;
  readonly #lane: PrismaSession;
  readonly #turn: WriteScope;
  #prisma: Prisma | undefined;

  constructor(cache: StatementCache, lane: PrismaSession, turn: WriteScope) {
    this.sql = new ScopedSql(cache, turn, lane);
    this.#lane = lane;
    this.#turn = turn;
  }

  get prisma(): Prisma {
    this.#turn.check();
    this.#prisma ??= this.#lane.enter(this.#turn);
    return this.#prisma;
  }

  signal(): void {
    this.#turn.check();
    this.#turn.signalled = true;
  }
}

export class WriterConnection {
  readonly #connection: Connection;
  readonly #cache: StatementCache;
  readonly #control: Record<'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'rollbackTo', Prepared>;
  readonly #onCommit: () => void;
  #lane: PrismaSession;

  /** `onCommit` is called before each commit. */
  constructor(file: string, onCommit: () => void) {
    this.#onCommit = onCommit;
    this.#connection = openWriter(file);
    this.#cache = new StatementCache(this.#connection);
    const prepare = (sql: string) => this.#connection.prepare(sql);
    this.#control = {
      begin: prepare('BEGIN IMMEDIATE'),
      commit: prepare('COMMIT'),
      rollback: prepare('ROLLBACK'),
      savepoint: prepare('SAVEPOINT write'),
      release: prepare('RELEASE SAVEPOINT write'),
      rollbackTo: prepare('ROLLBACK TO SAVEPOINT write'),
    };
    this.#lane = this.#createLane();
  }

  get inTransaction(): boolean {
    return this.#connection.open && this.#connection.inTransaction;
  }

  warmUp(): Promise<void> {
    return this.#lane.warmUp();
  }

  door(turn: WriteScope): Tx {
    return new TurnDoor(this.#cache, this.#lane, turn);
  }

  /** Takes the Prisma client back; one that is still at work for the turn is replaced. */
  leave(turn: WriteScope): void {
    if (!this.#lane.leave(turn)) this.#lane = this.#createLane();
  }

  begin(): void {
    this.#control.begin.run();
  }

  commit(): void {
    this.#onCommit();
    this.#control.commit.run();
  }

  rollback(): void {
    this.#control.rollback.run();
  }

  savepoint(): void {
    this.#control.savepoint.run();
  }

  release(): void {
    this.#control.release.run();
  }

  rollbackToSavepoint(): void {
    this.#control.rollbackTo.run();
    this.#control.release.run();
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#lane.close();
  }

  #createLane(): PrismaSession {
    const queryable = new SqliteQueryable(this.#connection, checkTransaction);
    return new PrismaSession(queryable, (adapter) => new PrismaClient({ adapter, errorFormat: 'minimal' }));
  }
}
