// Brings a SQLite file to the current schema, in one transaction: killed in the middle, it leaves the file as it was.
import { chmodSync, renameSync, rmSync } from 'node:fs';
import type {
  SqlDriverAdapter,
  SqlMigrationAwareDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
} from '@prisma/driver-adapter-utils';
import BetterSqlite3, { type Database as Connection } from 'better-sqlite3';
import { DatabaseError, fromDriver } from '../database-error.ts';
import type { Migration } from '../migrations.ts';
import { noFilter, startSchemaEngine, toMigrationList } from '../schema-engine.ts';
import { createPrivate } from './process-lock.ts';
import { SqliteQueryable } from './queryable.ts';

/**
 * Applies the `pending` ones of `migrations`. Copies a file that has data first. `script` runs in the same transaction.
 */
export async function migrateSqlite(
  file: string,
  migrations: readonly Migration[],
  pending: readonly string[],
  fresh: boolean,
  script = '',
) {
  const [next] = pending;
  if (next === undefined) return;
  if (!fresh) copyBefore(file, next);
  const connection = new BetterSqlite3(file, { timeout: 250 });
  try {
    // Before the first page, or never without rewriting the file: unused pages can be given back to the system.
    if (fresh) connection.pragma('auto_vacuum = INCREMENTAL');
    // From the first page on: a rollback journal after a crash would be one more state of the file to handle.
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    // Rebuilding a table would otherwise delete the rows that refer to it, and this cannot be switched inside a
    // transaction.
    connection.pragma('foreign_keys = OFF');
    connection.exec('BEGIN IMMEDIATE');
    await apply(connection, migrations);
    connection.exec(script);
    const orphans = connection.pragma('foreign_key_check');
    if (Array.isArray(orphans) && orphans.length > 0) throw new Error('Rows were left without what they refer to.');
    connection.exec('COMMIT');
  } catch (thrown) {
    const error = fromDriver(thrown);
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError('migration', `${file} could not be migrated (${next}).`, { cause: error });
  } finally {
    connection.close();
  }
}

async function apply(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  const adapter = new MigrationAdapter(connection);
  const engine = await startSchemaEngine(new MigrationAdapterFactory(adapter));
  try {
    await engine.applyMigrations({ migrationsList: toMigrationList('sqlite', migrations), filters: noFilter });
  } catch (error) {
    // The engine's own error only repeats this one.
    throw adapter.failure ?? error;
  } finally {
    engine.free();
  }
}

/** Copies the file before its first change; the copy is named after the first pending migration. */
function copyBefore(file: string, migration: string): void {
  const copy = `${file}.before-${migration}`;
  const unfinished = `${copy}.part`;
  rmSync(unfinished, { force: true });
  createPrivate(unfinished);
  const connection = new BetterSqlite3(file, { readonly: true, timeout: 250 });
  try {
    connection.prepare('VACUUM INTO ?').run(unfinished);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw fromDriver(error);
  } finally {
    connection.close();
  }
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, copy);
}

/** Runs the statements of the migration engine in the open transaction of one connection. */
class MigrationAdapter extends SqliteQueryable implements SqlDriverAdapter {
  failure: unknown;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(connection);
    this.#connection = connection;
  }

  /** Quotes a name properly: the engine asks for a partial index with double quotes, which this SQLite refuses. */
  override queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return super.queryRaw({ ...query, sql: query.sql.replace(/(FROM sqlite_master .*name = )"([^"']*)"/, "$1'$2'") });
  }

  /** Runs a statement, or a whole script, which the engine sends this way, too. */
  override async executeRaw(query: SqlQuery): Promise<number> {
    if (query.args.length > 0) return await super.executeRaw(query);
    await this.executeScript(query.sql);
    return 0;
  }

  async executeScript(script: string): Promise<void> {
    try {
      this.#connection.exec(script);
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  startTransaction(): Promise<never> {
    return Promise.reject(new Error('A migration is one transaction already.'));
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }
}

/** Also serves the scripts that create migrations: they compare schemas on a second, empty database. */
export class MigrationAdapterFactory implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'sqlite';
  readonly adapterName = 'quarterdeck-sqlite';
  readonly #adapter: SqlDriverAdapter;

  constructor(adapter: SqlDriverAdapter = new MigrationAdapter(new BetterSqlite3(':memory:'))) {
    this.#adapter = adapter;
  }

  connect(): Promise<SqlDriverAdapter> {
    return Promise.resolve(this.#adapter);
  }

  connectToShadowDb(): Promise<SqlDriverAdapter> {
    return Promise.resolve(new MigrationAdapter(new BetterSqlite3(':memory:')));
  }
}
