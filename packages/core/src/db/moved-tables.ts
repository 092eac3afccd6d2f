// The tables that a move copies, read from the schemas of both databases: no list of tables can miss one.
import type { Dialect } from './database.ts';

/** Kind of the values of a column, the same on both databases. */
export type ColumnKind = 'number' | 'boolean' | 'text' | 'bytes';

/** A column as its database describes it. */
export interface SchemaColumn {
  readonly name: string;
  /** Type in the dialect. */
  readonly type: string;
  /** Position in the primary key, from 1; 0 for other columns. */
  readonly keyPlace: number;
}

/** A table as its database describes it. */
export interface SchemaTable {
  readonly name: string;
  readonly columns: readonly SchemaColumn[];
  /** Tables that it refers to. */
  readonly parents: readonly string[];
}

/** A column of a {@link MovedTable}. */
export interface MovedColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table that both databases have. */
export interface MovedTable {
  readonly name: string;
  /** The primary key, then the other columns by name. */
  readonly columns: readonly MovedColumn[];
  /** Number of columns of the primary key. */
  readonly keys: number;
}

/** Table that marks the target of an unfinished move, see `marker.ts`. */
export const MOVE_TABLE = 'quarterdeck_move';

/** Tables that are not copied: the records of migrations and moves, and those that one database derives from others. */
export const NOT_MOVED: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    '_prisma_migrations',
    MOVE_TABLE,
    'errlog_fingerprint_new',
    'errlog_fingerprint_old',
    'errlog_segment_filter',
  ],
  postgresql: ['_prisma_migrations', MOVE_TABLE, 'errlog_search'],
};

/** Type in either dialect, in lower case -> kind. */
const KINDS: Readonly<Record<string, ColumnKind>> = {
  integer: 'number',
  bigint: 'number',
  boolean: 'boolean',
  text: 'text',
  blob: 'bytes',
  bytea: 'bytes',
};

/** A schema with its dialect. */
export interface DatabaseSchema {
  readonly dialect: Dialect;
  readonly tables: readonly SchemaTable[];
}

/**
 * Returns the tables to copy, each after the tables that it refers to. Throws for a table or column that one database
 * lacks, or that cannot be copied: that is a mistake in this program, not in the data.
 */
export function planMove(source: DatabaseSchema, target: DatabaseSchema): MovedTable[] {
  const [from, to] = [movedTables(source), movedTables(target)];
  const names = [...new Set([...from.keys(), ...to.keys()])].sort();
  const tables = names.map((name) => {
    const [one, other] = [from.get(name), to.get(name)];
    if (one === undefined || other === undefined) {
      throw new Error(`The table ${name} is only on one database; NOT_MOVED lacks it, or a migration does.`);
    }
    const table = toMovedTable(one);
    if (JSON.stringify(table) !== JSON.stringify(toMovedTable(other))) {
      throw new Error(`The table ${name} has different columns on SQLite and PostgreSQL.`);
    }
    return table;
  });
  return inOrder(tables, to);
}

function movedTables({ dialect, tables }: DatabaseSchema): Map<string, SchemaTable> {
  return new Map(tables.filter(({ name }) => !NOT_MOVED[dialect].includes(name)).map((table) => [table.name, table]));
}

function toMovedTable({ name, columns }: SchemaTable): MovedTable {
  const keys = columns.filter(({ keyPlace }) => keyPlace > 0).sort((a, b) => a.keyPlace - b.keyPlace);
  const others = columns.filter(({ keyPlace }) => keyPlace === 0).sort((a, b) => (a.name < b.name ? -1 : 1));
  const moved = [...keys, ...others].map((column) => ({ name: column.name, kind: kindOf(name, column) }));
  const isOrdered = moved.slice(0, keys.length).every(({ kind }) => kind === 'number' || kind === 'text');
  if (keys.length === 0 || !isOrdered) throw new Error(`The table ${name} has no primary key of numbers and texts.`);
  return { name, columns: moved, keys: keys.length };
}

function kindOf(table: string, { name, type }: SchemaColumn): ColumnKind {
  const kind = KINDS[type.toLowerCase()];
  if (kind === undefined) throw new Error(`The column ${table}.${name} has the type ${type}, which cannot be moved.`);
  return kind;
}

/** Sorts tables so that each comes after the tables that it refers to. */
function inOrder(tables: readonly MovedTable[], schema: ReadonlyMap<string, SchemaTable>): MovedTable[] {
  const ordered: MovedTable[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const isReady = ({ name }: MovedTable) =>
      schema.get(name)?.parents.every((parent) => parent === name || !waiting.has(parent));
    const ready = left.filter(isReady);
    if (ready.length === 0) throw new Error(`The tables ${[...waiting].join(', ')} refer to each other.`);
    ordered.push(...ready);
    left = left.filter((table) => !ready.includes(table));
  }
  return ordered;
}

/** Quotes a name for a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the columns of a table for a statement. */
export const columnList = ({ columns }: MovedTable): string => columns.map(({ name }) => quoted(name)).join(', ');
