// Interfaces of the two databases of a move.
import type { Dialect } from '../database.ts';
import type { Marker, TableProgress } from '../move-marker.ts';
import type { MovedTable, SchemaTable } from '../moved-tables.ts';
import type { Chunk, Key } from './rows.ts';

/** Table -> the greatest id that it ever gave, in decimal. */
export type Sequences = ReadonlyMap<string, string>;

/** A database that a move reads. */
export interface MoveReader {
  readonly dialect: Dialect;
  /** File, or host and database. */
  readonly place: string;
  tables(): Promise<SchemaTable[]>;
  count(table: MovedTable): Promise<number>;
  /** Reads the rows of a table behind a key, in the order of their keys. */
  chunks(table: MovedTable, after?: Key): AsyncIterable<Chunk>;
  sequences(): Promise<Sequences>;
  close(): Promise<void>;
}

/** A database that a move fills. */
export interface MoveTarget extends MoveReader {
  /** The marker of an interrupted move; undefined for an empty database. */
  marker(): Promise<Marker | undefined>;
  /** Creates the tables and the marker in an empty database, in one transaction. */
  begin(source: string): Promise<void>;
  /** Removes the rows that the migrations made. */
  clear(tables: readonly MovedTable[]): Promise<void>;
  /** Stores a chunk and the progress up to it, in one transaction. */
  write(table: MovedTable, chunk: Chunk, progress: TableProgress): Promise<void>;
  /** Fills derived tables, sets the sequences and removes the marker, in one transaction. Durable once it resolves. */
  finish(tables: readonly MovedTable[], sequences: Sequences): Promise<void>;
}

/** A place of a database. */
export type MovePlace =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgresql'; readonly url: string };
