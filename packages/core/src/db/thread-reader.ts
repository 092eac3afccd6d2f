// Reads on another thread of the process, over a connection of that thread.
import type { Dialect, Sql } from './database.ts';

/** Data from which a thread opens a reader, see `Database.readerSettings`. It may hold a password. */
export type ReaderSettings =
  | { readonly dialect: 'sqlite'; readonly file: string }
  | { readonly dialect: 'postgresql'; readonly url: string };

/** Read-only connection of a thread of its own. */
export interface ThreadReader {
  readonly dialect: Dialect;
  /**
   * Runs reads that all see the data of one moment. On SQLite the write-ahead log cannot start over meanwhile, so
   * `work` must be short. One at a time.
   */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Closes the connection. Comes before the database is closed. */
  close(): Promise<void>;
}
