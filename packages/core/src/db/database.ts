// The interface of the database, the same on SQLite and PostgreSQL: `read` and `write` are the only ways to the data.
import type { DatabaseError } from './database-error.ts';
import type { PrismaClient } from './generated/sqlite/client.ts';
import type { StatementTimes } from './statement-times.ts';
import type { ReaderSettings } from './thread-reader.ts';

/** Value of a placeholder. Booleans are 0 and 1 on both databases. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** One prepared statement in both dialects. Create it once, at module level, with {@link statement}. */
export interface Statement extends StatementOptions {
  readonly sqlite: string;
  readonly postgresql: string;
}

/** Properties of a statement beside its text. */
export interface StatementOptions {
  /**
   * Every number is only stored in a column, maybe as a sum with it, or compared with one. SQLite converts it to the
   * type of the column, and binding it takes a third of the time.
   */
  readonly numbersMeetColumns?: boolean;
  /**
   * PostgreSQL plans it each time, with its values: for a statement of many rows, whose plan must fit their number and
   * the size of the table. A plan made for the empty table would be kept until statistics are collected.
   */
  readonly plannedEachTime?: boolean;
  /**
   * Takes far less than a millisecond: a look-up by key, or a few rows of a small table. On PostgreSQL such reads share
   * a connection, where each waits for those before it.
   */
  readonly isShort?: boolean;
}

/**
 * Creates a statement. One text with `?` placeholders serves both dialects; a function of the dialect returns such a
 * text where they differ in a part. Two texts are taken as they are, with `$1` for PostgreSQL.
 */
export function statement(
  text: string | ((dialect: Dialect) => string) | { sqlite: string; postgresql: string },
  options: StatementOptions = {},
): Statement {
  if (typeof text === 'function') {
    return { ...options, sqlite: text('sqlite'), postgresql: numbered(text('postgresql')) };
  }
  if (typeof text === 'string') return { ...options, sqlite: text, postgresql: numbered(text) };
  return { ...options, sqlite: text.sqlite, postgresql: text.postgresql };
}

function numbered(text: string): string {
  let count = 0;
  return replacePlaceholders(text, () => {
    count += 1;
    return `$${count}`;
  });
}

/** Replaces each `?` placeholder of a statement, not those in quotes. */
export function replacePlaceholders(sql: string, replace: () => string): string {
  return sql.replace(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? replace() : part));
}

/** Result of a statement without rows. */
export interface Ran {
  readonly changes: number;
  /** Id of the last inserted row, on SQLite: `RETURNING` costs four times the insert. */
  readonly lastInsertRowid?: number | bigint;
}

/** {@link Sql} without promises: throws the errors that it rejects with. */
export interface SyncSql {
  all<R>(statement: Statement, ...params: SqlValue[]): R[];
  get<R>(statement: Statement, ...params: SqlValue[]): R | undefined;
  run(statement: Statement, ...params: SqlValue[]): Ran;
}

/**
 * Prepared statements for the hot paths. Integers come back as numbers, booleans as 0 or 1 and bytes as `Uint8Array` on
 * both databases. Rejects with {@link DatabaseError} when the database is at fault, with the driver's error otherwise.
 */
export interface Sql {
  all<R>(statement: Statement, ...params: SqlValue[]): Promise<R[]>;
  get<R>(statement: Statement, ...params: SqlValue[]): Promise<R | undefined>;
  run(statement: Statement, ...params: SqlValue[]): Promise<Ran>;
  /**
   * The same statements without promises, which cost as much as a small statement. Only in a write on SQLite, undefined
   * elsewhere. Throws while Prisma has a savepoint open in the same write.
   */
  readonly sync?: SyncSql;
}

/** The models, without `$transaction`, `$queryRaw`, `$extends` and the like, which would bypass `read` and `write`. */
export type Prisma = {
  readonly [Model in keyof PrismaClient as Model extends `$${string}` | symbol ? never : Model]: PrismaClient[Model];
};

/** Access to the data: the one of a write ends with it. */
export interface Tx {
  readonly prisma: Prisma;
  readonly sql: Sql;
  /** Calls every {@link Database.onSignal} listener once this write is committed. Throws in a read. */
  signal(): void;
}

export interface WriteOptions {
  /**
   * This write may be large and can wait: error logs, imports. On SQLite a full disk refuses it at once
   * with kind `full`: the reserved megabytes serve small writes such as logins.
   */
  readonly bulk?: boolean;
  /**
   * The last statements of `work` are left running when it resolves. On PostgreSQL the COMMIT is sent behind them at
   * once, so rows that other writes wait for are locked for a round trip less. A statement that is called later is
   * refused, and only its own promise tells.
   */
  readonly endsPipelined?: boolean;
}

export type Dialect = 'sqlite' | 'postgresql';

/** A {@link Tx} without the models, for a thread that writes. */
export type SqlTx = Pick<Tx, 'sql'>;

/** A thread that writes, see {@link Database.openThread}. It runs `serveWrites`. */
export interface WritingThread<Message, Answer> {
  /**
   * Sends a message to the thread; transferred buffers are gone here. The thread writes nothing before {@link write}.
   */
  post(message: Message, transfer?: readonly ArrayBuffer[]): void;
  /**
   * Lets the thread write, queued like {@link Database.write} with `bulk`. Resolves with the thread's answer once the
   * write is durable. Rejects with kind `unavailable` if the thread is lost; the write may be stored or not.
   */
  write(): Promise<Answer>;
  /** Ends the thread once its write is done. */
  close(): Promise<void>;
}

export interface ThreadOptions {
  /** A module that calls `serveWrites`. */
  readonly file: URL;
  /** Copied to the thread. */
  readonly settings: unknown;
  /** Called when the thread ended by itself; its messages are lost. The next message starts another thread. */
  readonly onLost: (error: DatabaseError) => void;
}

/** Space that a SQLite database takes, for retention by size. */
export interface DiskSpace {
  /** Bytes of all files of the database: its own, its write-ahead log, the reserve. */
  fileBytes(): number;
  /** Bytes of each of these files. */
  sizes(): { readonly file: number; readonly wal: number; readonly reserve: number };
  /** Bytes of unused pages in its file. */
  unusedBytes(): number;
  /** Bytes that the write-ahead log and the reserve may take. */
  readonly besideBytes: number;
  /** False for a file from before version 0.2, whose pages can be given back once it is compacted. */
  readonly canGiveBack: boolean;
  /** Gives some unused pages back to the system. Returns true if more can be given back. */
  giveBack(): Promise<boolean>;
  /** Names of the copies of the database in its folder, such as those made before a migration. */
  copies(): string[];
}

/** Work that waits for the database. */
export interface DatabaseQueue {
  /** On SQLite writes that wait for others, on PostgreSQL statements and writes that wait for a connection. */
  readonly waiting: number;
  /** Open connections to PostgreSQL. */
  readonly connections?: { readonly busy: number; readonly idle: number };
}

export interface Database {
  readonly dialect: Dialect;

  /** Times of the statements and the writes of this process. */
  readonly statementTimes: StatementTimes;

  queue(): DatabaseQueue;

  /** Shows committed data only; refuses to write. */
  readonly read: Tx;

  /**
   * Runs `work` as one transaction and resolves once it is durable. After 5 seconds (4.5 on PostgreSQL) it is rolled
   * back, and its `tx` refuses every statement.
   *
   * - A statement that failed fails the whole write, even if `work` caught the error, as PostgreSQL demands.
   *   Where a conflict is expected, write `ON CONFLICT`.
   * - On SQLite writes run one by one. On PostgreSQL they run at the same time at READ COMMITTED: let a statement
   *   decide (`UPDATE ... WHERE`), not an earlier read.
   * - `work` may be run again from the start (after a deadlock, or when another write of its group filled the disk):
   *   change nothing but the database.
   * - Methods of `tx.prisma` start at once, like any async function. Chained relations (`findUnique().sessions()`) do
   *   not exist.
   * - Never call `write` inside `work`: on SQLite it would wait for itself.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;

  /**
   * On SQLite: opens a thread of this process with a writing connection of its own, for writes that would block the
   * event loop. Its writes wait in the same queue, and the rules of {@link write} hold for them. The thread starts with
   * its first message. Undefined on PostgreSQL, where a write only waits for the server.
   */
  readonly openThread?: <Message, Answer>(options: ThreadOptions) => WritingThread<Message, Answer>;

  /** Settings with which another thread of this process reads, see `openThreadReader`. */
  readonly readerSettings: ReaderSettings;

  /** On SQLite: the space that the data takes on the disk. Undefined on PostgreSQL, whose server decides. */
  readonly space?: DiskSpace;

  /**
   * Leaves nothing of deleted and former rows. SQLite rewrites all files, with the search index; writes wait meanwhile,
   * reads do not. PostgreSQL vacuums these tables: rows that an older transaction still sees stay until it has ended.
   */
  clearDeleted(tables: readonly string[]): Promise<void>;

  /** Resolves when the database answers. */
  ping(): Promise<void>;

  /**
   * Calls `listener` after each commit in which {@link Tx.signal} was called: in this process and, on PostgreSQL, in
   * every other one, and once more whenever a signal may have been missed. Returns a function that removes it.
   */
  onSignal(listener: () => void): () => void;

  /** Lets the writes in the queue finish, then closes everything. */
  close(): Promise<void>;
}
