// Inspects a database file before anything may change it: a file that is damaged, of another program, or of a newer
// version stays as it is.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import BetterSqlite3, { type Database as Connection } from 'better-sqlite3';
import { DatabaseError, fromDriver } from '../database-error.ts';
import {
  type AppliedMigration,
  appliedMigrationsQuery,
  lastVersionQuery,
  type Migration,
  pendingMigrations,
} from '../migrations.ts';
import { unfinishedMove } from '../move-marker.ts';
import { MOVE_TABLE } from '../moved-tables.ts';

/** Size up to which the whole file is checked, which takes a fraction of a second. */
const smallFile = 64 * 1024 * 1024;

export interface Inspection {
  /** The file is empty. */
  readonly fresh: boolean;
  /** Names of the migrations still to be applied. */
  readonly pending: string[];
}

/** Throws kind `damaged`, `foreign`, `newer` or `migration` for a file that must not be touched. */
export function inspectFile(file: string, migrations: readonly Migration[]): Inspection {
  const fresh = { fresh: true, pending: migrations.map(({ name }) => name) };
  if (sizeOf(`${file}-journal`) > 0) recover(file);
  const size = sizeOf(file);
  if (size === 0) return fresh;
  checkHeader(file, size);
  let connection: Connection | undefined;
  try {
    connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: 250 });
    connection.pragma('trusted_schema = OFF');
    connection.pragma('cell_size_check = ON');
    const tables = readTables(connection);
    if (tables.length === 0) return fresh;
    if (!tables.includes('_prisma_migrations')) {
      throw new DatabaseError('foreign', `${file} is a SQLite database of another program.`);
    }
    if (tables.includes(MOVE_TABLE)) throw unfinishedMove(file);
    checkContent(connection, file, tables, size);
    const applied = connection.prepare(appliedMigrationsQuery).all() as AppliedMigration[];
    const lastVersion = tables.includes('setting')
      ? (connection.prepare(lastVersionQuery).pluck().get() as string | undefined)
      : undefined;
    return { fresh: false, pending: pendingMigrations(migrations, applied, file, lastVersion) };
  } catch (thrown) {
    const error = fromDriver(thrown);
    if (error instanceof DatabaseError && error.kind === 'damaged' && error.cause === thrown)
      throw damaged(file, thrown);
    throw error;
  } finally {
    connection?.close();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Lets SQLite roll back a transaction that a power cut interrupted; only a writer can. */
function recover(file: string): void {
  const connection = new BetterSqlite3(file, { timeout: 250 });
  try {
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (thrown) {
    throw fromDriver(thrown);
  } finally {
    connection.close();
  }
}

function damaged(file: string, cause?: unknown): DatabaseError {
  return new DatabaseError('damaged', `${file} is damaged or not a SQLite database. It was not changed.`, { cause });
}

/** Checks the first 100 bytes (https://sqlite.org/fileformat2.html#the_database_header), and the size they state. */
function checkHeader(file: string, size: number): void {
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, 'r');
  try {
    if (readSync(descriptor, header, 0, 100, 0) < 100) throw damaged(file);
  } finally {
    closeSync(descriptor);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw damaged(file);
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  const headerIsCurrent = header.readUInt32BE(24) === header.readUInt32BE(92);
  // The missing pages may be in the write-ahead log.
  if (headerIsCurrent && sizeOf(`${file}-wal`) === 0 && size < pages * pageSize) throw damaged(file);
}

function readTables(connection: Connection): string[] {
  const rows = connection.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  );
  return rows.pluck().all() as string[];
}

function checkContent(connection: Connection, file: string, tables: readonly string[], size: number): void {
  if (size <= smallFile) {
    const answer = connection.pragma('quick_check(1)', { simple: true });
    if (answer !== 'ok') throw damaged(file, new Error(String(answer)));
    return;
  }
  for (const table of tables) connection.prepare(`SELECT 1 FROM "${table.replaceAll('"', '""')}" LIMIT 1`).get();
}
