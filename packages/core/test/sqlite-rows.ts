// Reads the file of a server that was killed, past its own code.
import BetterSqlite3 from 'better-sqlite3';

/** Reads of an open file. */
export interface SqliteRows {
  /** Rows of two columns as an object. */
  pairs(sql: string): Record<string, number>;
  /** The only value of the first row. */
  number(sql: string): number | null;
}

/** Opens a file, reads, and closes it. */
export function readSqlite<T>(file: string, read: (rows: SqliteRows) => T): T {
  const db = new BetterSqlite3(file);
  try {
    return read({
      pairs: (sql) => Object.fromEntries(db.prepare(sql).raw().all() as [string, number][]),
      number: (sql) => db.prepare(sql).pluck().get() as number | null,
    });
  } finally {
    db.close();
  }
}
