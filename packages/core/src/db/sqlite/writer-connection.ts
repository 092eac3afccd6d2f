// The one connection that writes, with its prepared statements and its part of the shared Prisma client.
import type { Database as Connection, Statement as Prepared } from 'better-sqlite3';
import type { Tx } from '../database.ts';
import type { PrismaSession } from '../shared-prisma.ts';
import type { StatementTimes } from '../statement-times.ts';
import type { WriteScope } from '../write-scope.ts';
import { WriteTx } from '../write-tx.ts';
import { openWriter } from './connection.ts';
import type { DiskLimits } from './disk-limits.ts';
import { SqliteQueryable } from './queryable.ts';
import { checkTransaction, ScopedSql, StatementCache } from './statements.ts';

type Control = 'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'rollbackTo' | 'measureLog';

export class WriterConnection {
  readonly #connection: Connection;
  readonly #cache: StatementCache;
  readonly #queryable: SqliteQueryable;
  readonly #control: Record<Control, Prepared>;
  readonly #openSession: (scope: WriteScope, connection: SqliteQueryable) => PrismaSession;
  readonly #onCommit: () => void;

  /**
   * `openSession` opens Prisma's part of a write. `onCommit` is called before each commit. `times` counts statements.
   */
  constructor(
    file: string,
    limits: DiskLimits,
    openSession: (scope: WriteScope, connection: SqliteQueryable) => PrismaSession,
    onCommit: () => void,
    times?: StatementTimes,
  ) {
    this.#onCommit = onCommit;
    this.#openSession = openSession;
    this.#connection = openWriter(file, limits, 'by its owner');
    this.#cache = new StatementCache(this.#connection, times);
    this.#queryable = new SqliteQueryable(this.#connection, checkTransaction);
    const prepare = (sql: string) => this.#connection.prepare(sql);
    this.#control = {
      begin: prepare('BEGIN IMMEDIATE'),
      commit: prepare('COMMIT'),
      rollback: prepare('ROLLBACK'),
      savepoint: prepare('SAVEPOINT write'),
      release: prepare('RELEASE SAVEPOINT write'),
      rollbackTo: prepare('ROLLBACK TO SAVEPOINT write'),
      measureLog: prepare('PRAGMA wal_checkpoint(NOOP)'),
    };
  }

  get inTransaction(): boolean {
    return this.#connection.open && this.#connection.inTransaction;
  }

  createTx(scope: WriteScope): Tx {
    return new WriteTx(
      scope,
      () => this.#openSession(scope, this.#queryable),
      (session) => new ScopedSql(this.#cache, scope, session),
    );
  }

  begin(): void {
    this.#control.begin.run();
  }

  commit(): void {
    this.#onCommit();
    this.#control.commit.run();
  }

  /** Pages of the write-ahead log that are not in the file yet; 0 where SQLite cannot tell. */
  get loggedPages(): number {
    try {
      const { log, checkpointed } = this.#control.measureLog.get() as { log: number; checkpointed: number };
      return log - checkpointed;
    } catch {
      return 0;
    }
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

  close(): void {
    this.#connection.close();
  }
}
