// SQLite as the source or the target of a move.
import { existsSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import BetterSqlite3, { type Database as Connection } from 'better-sqlite3';
import { countStatement } from '../contents.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import { type AppliedMigration, appliedMigrationsQuery, knownMigrations, pendingMigrations } from '../migrations.ts';
import {
  CLEARED,
  createMarker,
  dropMarker,
  entryOf,
  type Marker,
  readMarker,
  storeMarker,
  toMarker,
} from '../move-marker.ts';
import { MOVE_TABLE, type MovedTable, quoted, type SchemaTable } from '../moved-tables.ts';
import { openReader } from '../sqlite/connection.ts';
import { inspectFile } from '../sqlite/inspect.ts';
import { migrateSqlite } from '../sqlite/migrate.ts';
import { createPrivate, lockDirectory, type ProcessLock } from '../sqlite/process-lock.ts';
import { addJoin, fillDerivedOnSqlite, insertInto, WHOLE_ON_SQLITE } from './derived.ts';
import type { MoveReader, MoveTarget, Sequences } from './place.ts';
import { refuseLiveServers, refuseNotEmpty, refuseOtherVersion } from './refusals.ts';
import { type Chunk, chunksOfRows, decodeRows, encodeField, type FieldValue, type Key } from './rows.ts';

const BULK_CACHE_KB = 128 * 1024;

/** Opens the database of a stopped server, for reading alone. */
export async function openSqliteSource(file: string): Promise<MoveReader> {
  const path = resolve(file);
  if (!existsSync(path)) throw new DatabaseError('missing', `${path} is missing.`);
  const lock = await lockFolderOf(path);
  try {
    const { fresh, pending } = inspectFile(path, knownMigrations('sqlite'));
    if (fresh) throw new DatabaseError('missing', `${path} is missing or empty.`);
    refuseOtherVersion(path, pending);
    const connection = openReader(path);
    addJoin(connection);
    return new SqliteReader(realpathSync(path), connection, lock);
  } catch (error) {
    lock.release();
    throw fromDriver(error);
  }
}

/** Opens an empty file, or the target of an interrupted move. */
export async function openSqliteTarget(file: string): Promise<MoveTarget> {
  const path = resolve(file);
  // A server finds a database by this name alone.
  if (basename(path) !== 'quarterdeck.db') {
    throw new DatabaseError('io', `${path} cannot be the database of a server; its name must be quarterdeck.db.`);
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = await lockFolderOf(path);
  try {
    return new SqliteTarget(path, lock, isBegun(path));
  } catch (error) {
    lock.release();
    throw fromDriver(error);
  }
}

/** Takes the folder of a database for this process, as servers and commands do. */
async function lockFolderOf(path: string): Promise<ProcessLock> {
  try {
    return await lockDirectory(dirname(path));
  } catch (error) {
    throw error instanceof DatabaseError && error.kind === 'locked' ? refuseLiveServers(dirname(path)) : error;
  }
}

/** Returns whether a file is the target of an interrupted move. Throws for one with other content. */
function isBegun(path: string): boolean {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
  const connection = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: 250 });
  try {
    const tables = connection.prepare('SELECT name FROM sqlite_schema').pluck().all();
    if (tables.length === 0) return false;
    if (!tables.includes(MOVE_TABLE)) throw refuseNotEmpty(path);
    const applied = connection.prepare(appliedMigrationsQuery).all() as AppliedMigration[];
    refuseOtherVersion(path, pendingMigrations(knownMigrations('sqlite'), applied, path, undefined));
    return true;
  } finally {
    connection.close();
  }
}

class SqliteReader implements MoveReader {
  readonly dialect = 'sqlite';
  readonly place: string;
  protected readonly lock: ProcessLock;
  readonly #connection: Connection | undefined;

  constructor(place: string, connection: Connection | undefined, lock: ProcessLock) {
    this.place = place;
    this.#connection = connection;
    this.lock = lock;
  }

  protected get connection(): Connection {
    if (this.#connection === undefined) throw new Error('The database is not open.');
    return this.#connection;
  }

  async tables(): Promise<SchemaTable[]> {
    // Neither views nor the tables inside a virtual one.
    const names = this.connection
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'",
      )
      .pluck()
      .all() as string[];
    const columns = this.connection.prepare('SELECT name, type, pk AS keyPlace FROM pragma_table_xinfo(?)');
    const parents = this.connection.prepare('SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)').pluck();
    return names.map((name) => ({
      name,
      columns: columns.all(name) as SchemaTable['columns'],
      parents: parents.all(name) as string[],
    }));
  }

  async count({ name }: MovedTable): Promise<number> {
    return this.connection.prepare(countStatement(name)).pluck().get() as number;
  }

  async *chunks(table: MovedTable, after?: Key): AsyncGenerator<Chunk> {
    const whole = WHOLE_ON_SQLITE[table.name];
    const values = table.columns.map(({ name, kind }) =>
      // As texts: numbers of 64 bits are exact, and the driver makes no BigInt.
      kind === 'number' || kind === 'boolean' ? `CAST(${quoted(name)} AS TEXT)` : (whole?.[name] ?? quoted(name)),
    );
    const keys = table.columns.slice(0, table.keys);
    const names = keys.map(({ name }) => quoted(name)).join(', ');
    const behind = after === undefined ? '' : `WHERE (${names}) > (${keys.map(() => '?').join(', ')})`;
    const rows = this.connection
      .prepare(`SELECT ${values.join(', ')} FROM ${quoted(table.name)} ${behind} ORDER BY ${names}`)
      .raw()
      .iterate(...(after ?? []).map((value, i) => (keys[i]?.kind === 'number' ? BigInt(value) : value)));
    yield* chunksOfRows(encodeRows(table, rows as Iterable<FieldValue[]>));
  }

  async sequences(): Promise<Sequences> {
    const rows = this.connection.prepare('SELECT name, CAST(seq AS TEXT) FROM sqlite_sequence').raw().all();
    return new Map(rows as [string, string][]);
  }

  async close(): Promise<void> {
    this.#connection?.close();
    this.lock.release();
  }
}

/** Encodes rows, and refuses values that PostgreSQL cannot store: SQLite would store anything in any column. */
function* encodeRows({ name, columns, keys }: MovedTable, rows: Iterable<FieldValue[]>): Generator<string> {
  for (const row of rows) {
    let line = '';
    for (let i = 0; i < row.length; i += 1) {
      const value = row[i] as FieldValue;
      if (value !== null && (typeof value !== 'string') !== (columns[i]?.kind === 'bytes'))
        throw refused(i, row, 'a value of another type');
      if (typeof value === 'string' && value.includes('\0')) throw refused(i, row, 'a NUL character');
      line += i === 0 ? encodeField(value) : `\t${encodeField(value)}`;
    }
    yield `${line}\n`;
  }

  function refused(i: number, row: readonly FieldValue[], what: string): DatabaseError {
    const key = columns.slice(0, keys).map((column, k) => `${column.name}=${String(row[k]).slice(0, 60)}`);
    return new DatabaseError(
      'io',
      `The row ${key.join(' ')} of ${name} has ${what} in the column ${columns[i]?.name}, which PostgreSQL cannot store. Correct the row, then run the move again.`,
    );
  }
}

class SqliteTarget extends SqliteReader implements MoveTarget {
  readonly #inserts = new Map<string, ReturnType<typeof insertInto>>();
  #isBegun: boolean;
  #opened: Connection | undefined;

  constructor(place: string, lock: ProcessLock, isBegun: boolean) {
    super(place, undefined, lock);
    this.#isBegun = isBegun;
  }

  protected override get connection(): Connection {
    this.#opened ??= openForBulk(this.place);
    return this.#opened;
  }

  async marker(): Promise<Marker | undefined> {
    if (!this.#isBegun) return undefined;
    return toMarker(this.connection.prepare(readMarker).all() as { name: string; value: string }[]);
  }

  async begin(source: string): Promise<void> {
    // Logs of a deleted database would be applied to this one.
    for (const end of ['-wal', '-shm', '-journal']) rmSync(`${this.place}${end}`, { force: true });
    createPrivate(this.place);
    const migrations = knownMigrations('sqlite');
    const names = migrations.map(({ name }) => name);
    await migrateSqlite(this.place, migrations, names, true, createMarker(`'${source.replaceAll("'", "''")}'`));
    this.#isBegun = true;
  }

  async clear(tables: readonly MovedTable[]): Promise<void> {
    this.#transact(() => {
      for (const { name } of tables) this.connection.exec(`DELETE FROM ${quoted(name)}`);
      this.#store(CLEARED, '');
    });
  }

  async write(table: MovedTable, chunk: Chunk, progress: object): Promise<void> {
    const insert = this.#insertInto(table);
    this.#transact(() => {
      for (const row of decodeRows(table, chunk)) insert(row);
      this.#store(entryOf(table.name), JSON.stringify(progress));
    });
  }

  async finish(tables: readonly MovedTable[], sequences: Sequences): Promise<void> {
    const counting = this.connection.prepare(
      "SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'",
    );
    this.connection.pragma('synchronous = FULL');
    this.#transact(() => {
      const orphans = this.connection.pragma('foreign_key_check') as unknown[];
      if (orphans.length > 0) throw new DatabaseError('damaged', 'Rows refer to others that do not exist.');
      fillDerivedOnSqlite(this.connection);
      for (const table of tables) if (counting.get(table.name) !== undefined) this.#setSequence(table, sequences);
      this.connection.exec(dropMarker);
    });
    this.connection.pragma('wal_checkpoint(TRUNCATE)');
  }

  override async close(): Promise<void> {
    this.#opened?.close();
    this.lock.release();
  }

  #setSequence({ name, columns: [id] }: MovedTable, sequences: Sequences): void {
    const greatest = this.connection
      .prepare(`SELECT max(coalesce(max(${quoted(id?.name ?? '')}), 0), CAST(? AS INTEGER)) FROM ${quoted(name)}`)
      .pluck()
      .safeIntegers();
    const value = greatest.get(sequences.get(name) ?? '0');
    this.connection.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name);
    if (value !== 0n) this.connection.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, value);
  }

  #insertInto(table: MovedTable): ReturnType<typeof insertInto> {
    const insert = this.#inserts.get(table.name) ?? insertInto(this.connection, table);
    this.#inserts.set(table.name, insert);
    return insert;
  }

  #store(name: string, value: string): void {
    this.connection.prepare(storeMarker('?, ?')).run(name, value);
  }

  #transact(work: () => void): void {
    try {
      this.connection.transaction(work).immediate();
    } catch (error) {
      throw fromDriver(error);
    }
  }
}

/** Opens a connection for many writes: a power cut may take the last ones, together with their progress. */
function openForBulk(file: string): Connection {
  const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: 250 });
  try {
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = NORMAL');
    connection.pragma('foreign_keys = OFF');
    connection.pragma('trusted_schema = OFF');
    connection.pragma('temp_store = MEMORY');
    connection.pragma(`cache_size = -${BULK_CACHE_KB}`);
    addJoin(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
