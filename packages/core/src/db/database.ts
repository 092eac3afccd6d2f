// The two doors to the data, `read` and `write`, the same on SQLite and on PostgreSQL. There is no third one.
import type { DatabaseError } from './database-error.ts';
import type { PrismaClient } from './generated/sqlite/client.ts';

/** What a placeholder of a statement can be given. Booleans are 0 and 1 on both databases. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** One prepared statement in both dialects; made by {@link statement} once, at module level. */
export interface Statement extends StatementOptions {
  readonly sqlite: string;
  readonly postgresql: string;
}

/** What is known of a statement beside its text. */
export interface StatementOptions {
  /**
   * Each number is stored in a column, or compared with one, and nothing else: SQLite makes it what the column is, and
   * binding it costs a third.
   */
  readonly numbersMeetColumns?: boolean;
}

/**
 * Makes a statement: `?` placeholders for SQLite, `$1` for PostgreSQL. Where both dialects agree, one text with `?` is
 * enough; where they differ in a part of it, a function that is given the dialect, and whose texts have `?` as well.
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

/** Replaces each `?` of a statement that stands for a value, not those in quotes. */
export function replacePlaceholders(sql: string, replace: () => string): string {
  return sql.replace(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? replace() : part));
}

/** What a statement without rows did. */
export interface Ran {
  readonly changes: number;
  /** On SQLite the id of the row that was inserted last: `RETURNING` costs four times the insert. */
  readonly lastInsertRowid?: number | bigint;
}

/** Statements that are done when they return. Throws what {@link Sql} rejects with. */
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
   * The same without promises, which cost as much as a small statement: in a write on SQLite, undefined elsewhere.
   * Throws while Prisma is at work in the same write.
   */
  readonly sync?: SyncSql;
}

/** The models, without what would open another door (`$transaction`, `$queryRaw`, `$extends`, ...). */
export type Prisma = {
  readonly [Model in keyof PrismaClient as Model extends `$${string}` | symbol ? never : Model]: PrismaClient[Model];
};

/** What a reader gets for good, and a writer for the time of its turn. */
export interface Tx {
  readonly prisma: Prisma;
  readonly sql: Sql;
  /** Calls every {@link Database.onSignal} listener once this write is committed. Throws on the reading door. */
  signal(): void;
}

export interface WriteOptions {
  /**
   * This write may be large and can wait: error logs, imports. On SQLite it is refused with kind `full` as soon as the
   * disk is, so that what space is left (some megabytes are kept back) serves logins and the like.
   */
  readonly bulk?: boolean;
}

export type Dialect = 'sqlite' | 'postgresql';

/** A write without the models: what a thread that writes has of a {@link Tx}. */
export type SqlTx = Pick<Tx, 'sql'>;

/** A thread that writes, see {@link Database.openThread}. It runs `serveWrites`. */
export interface WritingThread<Message, Answer> {
  /** Hands a message over; what is transferred is gone here. The thread does not touch the data before its turn. */
  post(message: Message, transfer?: readonly ArrayBuffer[]): void;
  /**
   * Has the thread write when its turn has come, as {@link Database.write} with `bulk`. Resolves with its answer once
   * what it wrote is durable. A thread that is lost meanwhile is `unavailable`: what was under way may be stored or not.
   */
  write(): Promise<Answer>;
  /** Ends the thread, after its write. */
  close(): Promise<void>;
}

export interface ThreadOptions {
  /** A module that calls `serveWrites`. */
  readonly file: URL;
  /** Copied to the thread. */
  readonly settings: unknown;
  /** The thread has ended by itself, and with it all that was handed over. The next message starts another one. */
  readonly onLost: (error: DatabaseError) => void;
}

export interface Database {
  readonly dialect: Dialect;

  /** Sees what is committed and nothing else; refuses to write. */
  readonly read: Tx;

  /**
   * Runs `work` as one transaction and resolves once it is durable. It is given 5 seconds (4.5 on PostgreSQL); then it
   * is rolled back and its door refuses to work.
   *
   * - A statement that failed fails the whole write, even if `work` caught the error: PostgreSQL knows no other way.
   *   Where a conflict is expected, write `ON CONFLICT`.
   * - On SQLite writes take turns. On PostgreSQL they run at the same time at READ COMMITTED: let a statement decide
   *   (`UPDATE ... WHERE`), not an earlier read.
   * - `work` may be run again from the start (after a deadlock, or when a neighbour filled the disk): touch nothing but
   *   the database.
   * - Methods of `tx.prisma` start at once, like any async function; chaining relations (`findUnique().sessions()`) is
   *   not there.
   * - Never call `write` inside `work`: on SQLite it would wait for itself.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;

  /**
   * On SQLite: a thread of this process with a writing connection of its own, for what would keep the event loop from
   * everything else. It takes its turns in the one queue of writes: what is true of {@link write} is true of it. It
   * starts with its first message. Undefined on PostgreSQL, where writing is waiting.
   */
  readonly openThread?: <Message, Answer>(options: ThreadOptions) => WritingThread<Message, Answer>;

  /** Resolves when the database answers. */
  ping(): Promise<void>;

  /**
   * Calls `listener` after each commit in which {@link Tx.signal} was called: in this process and, on PostgreSQL, in
   * every other one, and once more whenever a signal may have been missed. Returns the way to stop it.
   */
  onSignal(listener: () => void): () => void;

  /** Lets the writes in the queue finish, then closes everything. */
  close(): Promise<void>;
}
