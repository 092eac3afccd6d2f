// Reads a database file that nobody has open, without changing it: its contents, and whether it is damaged.
import BetterSqlite3, { type Database as Connection } from 'better-sqlite3';
import { countStatement, type DatabaseContents } from '../contents.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import { knownMigrations, migrationNames } from '../migrations.ts';
import { foreignObjects } from './foreign-objects.ts';
import { inspectFile } from './inspect.ts';

/** Contents of a checked database file. */
export interface CheckedFile extends DatabaseContents {
  /** Migrations that this version would apply. */
  readonly pending: readonly string[];
  /** Objects that are not of Quarterdeck, such as `trigger promote`. */
  readonly foreign: readonly string[];
}

/** Counts the rows of each table of an open database. */
export function readContents(connection: Connection, file: string): DatabaseContents {
  const tables = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .pluck()
    .all() as string[];
  if (!tables.includes('_prisma_migrations')) {
    throw new DatabaseError('foreign', `${file} is a SQLite database of another program.`);
  }
  const count = (table: string) => connection.prepare(countStatement(table)).pluck().get() as number;
  return {
    migrations: readMigrations(connection),
    rows: Object.fromEntries(tables.sort().map((table) => [table, count(table)])),
  };
}

/** Returns the objects of a checked database file that are not of Quarterdeck, such as `trigger promote`. */
export function foreignInSqlite(file: string): string[] {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  try {
    return foreignObjects(connection, knownMigrations('sqlite'), readMigrations(connection));
  } finally {
    connection.close();
  }
}

const readMigrations = (connection: Connection) => connection.prepare(migrationNames).pluck().all() as string[];

/**
 * Checks a database file completely, with its indexes and references. Throws kind `missing`, `damaged`, `foreign` or
 * `newer` like the start of a server.
 */
export function checkSqliteFile(file: string): CheckedFile {
  const migrations = knownMigrations('sqlite');
  const { fresh, pending } = inspectFile(file, migrations);
  if (fresh) throw new DatabaseError('missing', `${file} is missing or empty.`);
  let connection: Connection | undefined;
  try {
    connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
    connection.pragma('trusted_schema = OFF');
    connection.pragma('cell_size_check = ON');
    const answer = connection.pragma('integrity_check(1)', { simple: true });
    if (answer !== 'ok') throw new DatabaseError('damaged', `${file} is damaged. It was not changed.`);
    const contents = readContents(connection, file);
    return { ...contents, pending, foreign: foreignObjects(connection, migrations, contents.migrations) };
  } catch (error) {
    throw fromDriver(error);
  } finally {
    connection?.close();
  }
}
