// The marker in the target of a move: a table that exists from the first change of the target until the move has ended.
// It tells what is copied, so that an interrupted move goes on, and keeps servers away meanwhile.
import { DatabaseError } from './database-error.ts';
import { MOVE_TABLE } from './moved-tables.ts';

/** Creates the marker with the first argument as its source, quoted for SQL. Part of the first transaction. */
export const createMarker = (source: string): string =>
  `CREATE TABLE ${MOVE_TABLE} (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
   INSERT INTO ${MOVE_TABLE} (name, value) VALUES ('source', ${source});`;

export const dropMarker = `DROP TABLE ${MOVE_TABLE}`;
export const readMarker = `SELECT name, value FROM ${MOVE_TABLE}`;

/** Stores an entry; `values` are the placeholders of name and value. */
export const storeMarker = (values: string): string =>
  `INSERT INTO ${MOVE_TABLE} (name, value) VALUES (${values}) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** The source of a move. */
export interface MoveSource {
  /** File, or host and database. */
  readonly place: string;
  /** Rows of each table: a source that was changed meanwhile has other ones. */
  readonly rows: Readonly<Record<string, number>>;
}

/** The part of a table that is copied. */
export interface TableProgress {
  readonly rows: number;
  /** Key of the last copied row. */
  readonly key: readonly string[];
}

/** Content of a marker. */
export interface Marker {
  readonly source: MoveSource;
  /** The rows that the migrations made are gone. */
  readonly isCleared: boolean;
  readonly tables: ReadonlyMap<string, TableProgress>;
}

/** Name of the entry that states {@link Marker.isCleared}. */
export const CLEARED = 'cleared';

/** Name of the entry of a table. */
export const entryOf = (table: string): string => `table:${table}`;

/** Reads the entries of a marker. */
export function toMarker(entries: readonly { readonly name: string; readonly value: string }[]): Marker {
  const values = new Map(entries.map(({ name, value }) => [name, value]));
  const tables = entries
    .filter(({ name }) => name.startsWith(entryOf('')))
    .map(({ name, value }) => [name.slice(entryOf('').length), JSON.parse(value) as TableProgress] as const);
  return {
    source: JSON.parse(values.get('source') ?? '{}') as MoveSource,
    isCleared: values.has(CLEARED),
    tables: new Map(tables),
  };
}

/** The error of a server that is started on the target of an unfinished move. */
export const unfinishedMove = (database: string): DatabaseError =>
  new DatabaseError(
    'migration',
    `${database} is the target of an unfinished move and cannot be used. Run "quarterdeckd db move" again to finish the move, or use the database that it comes from.`,
  );
