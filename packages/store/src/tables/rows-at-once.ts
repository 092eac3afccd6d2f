// Rows that are written on SQLite, several with one statement.
import type { SqlValue, Statement, SyncSql } from '@quarterdeck/core/db';

/** Rows of one statement: much of the cost of a row is that of its statement. */
export const ROWS_AT_ONCE = 20;

/** A statement for {@link ROWS_AT_ONCE} rows, and one for a single row. `put` adds the values of a row. */
export interface RowStatements<Row> {
  readonly some: Statement;
  readonly one: Statement;
  put(values: SqlValue[], row: Row): void;
}

/** Writes rows in their order. */
export function writeRows<Row>(sync: SyncSql, { some, one, put }: RowStatements<Row>, rows: readonly Row[]): void {
  const write = (to: Statement, from: number, end: number) => {
    const values: SqlValue[] = [];
    for (let i = from; i < end; i += 1) put(values, rows[i] as Row);
    sync.run(to, ...values);
  };
  let next = 0;
  for (; next + ROWS_AT_ONCE <= rows.length; next += ROWS_AT_ONCE) write(some, next, next + ROWS_AT_ONCE);
  for (; next < rows.length; next += 1) write(one, next, next + 1);
}
