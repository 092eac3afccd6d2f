// Brings a PostgreSQL database to the current schema, in one transaction and one process at a time.
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { DatabaseError, fromDriver } from '../database-error.ts';
import {
  type AppliedMigration,
  appliedMigrationsQuery,
  lastVersionQuery,
  type Migration,
  pendingMigrations,
} from '../migrations.ts';
import { unfinishedMove } from '../move/marker.ts';
import { MOVE_TABLE } from '../move/tables.ts';
import { noFilter, startSchemaEngine, toMigrationList } from '../schema-engine.ts';
import { PrimaryClient } from './primary-client.ts';
import { PrimaryHosts } from './primary-hosts.ts';
import { ConnectionQueryable } from './queryable.ts';

/** Key of the lock: any number, the same in every version of Quarterdeck. */
const advisoryLock = 7_080_514;

/**
 * Applies the pending ones of `migrations`. A database that is up to date costs one query. With `mustExist`, rejects
 * with the kind `missing` for a database without tables, and leaves it as it is. `script` runs in the same
 * transaction.
 */
export async function migratePostgres(
  url: string,
  migrations: readonly Migration[],
  mustExist = false,
  script = '',
): Promise<void> {
  const client = new PrimaryClient(new PrimaryHosts(url), { application_name: 'quarterdeck migration' });
  try {
    await connect(client);
    if ((await findPending(client, migrations, mustExist)).length === 0) return;
    await client.query("SET lock_timeout = '60s'; BEGIN");
    await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
    // Checked again: another process may have migrated while this one waited.
    if ((await findPending(client, migrations, mustExist)).length > 0) {
      await apply(client, migrations);
      if (script !== '') await client.query(script);
    }
    await client.query('COMMIT');
  } catch (thrown) {
    const error = fromDriver(thrown);
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError('migration', 'The PostgreSQL database could not be migrated.', { cause: error });
  } finally {
    // Also rolls back an open transaction.
    await client.end().catch(() => {});
  }
}

async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect();
  } catch (thrown) {
    const error = fromDriver(thrown);
    throw error instanceof DatabaseError ? error : new DatabaseError('unavailable', undefined, { cause: error });
  }
}

/**
 * Returns the names of the migrations still to be applied. Rejects like the start of a server. `inMove` accepts the
 * target of an unfinished move.
 */
export async function findPending(
  client: pg.Client,
  migrations: readonly Migration[],
  mustExist: boolean,
  inMove = false,
): Promise<string[]> {
  const { rows } = await client.query<{ ours: boolean; moving: boolean; settings: boolean; tables: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS ours, to_regclass('setting') IS NOT NULL AS settings,
            to_regclass('${MOVE_TABLE}') IS NOT NULL AS moving,
            EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema()) AS tables`,
  );
  const [found] = rows;
  if (found?.ours !== true) {
    if (found?.tables === true) {
      throw new DatabaseError('foreign', 'The PostgreSQL database already holds tables of another program.');
    }
    if (mustExist) throw new DatabaseError('missing', 'The PostgreSQL database is empty.');
    return migrations.map(({ name }) => name);
  }
  if (found.moving && !inMove) throw unfinishedMove('The PostgreSQL database');
  const applied = await client.query<AppliedMigration>(appliedMigrationsQuery);
  const last = found.settings ? await client.query<{ version: string }>(lastVersionQuery) : undefined;
  return pendingMigrations(migrations, applied.rows, 'The PostgreSQL database', last?.rows[0]?.version);
}

async function apply(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  const adapter = new MigrationAdapter(client);
  const engine = await startSchemaEngine(new MigrationAdapterFactory(adapter));
  try {
    await engine.applyMigrations({ migrationsList: toMigrationList('postgresql', migrations), filters: noFilter });
  } catch (error) {
    // The first error is the cause; later ones only report that the transaction has failed.
    throw adapter.failure ?? error;
  } finally {
    engine.free();
  }
}

/** Runs the statements of the migration engine on one connection. */
export class MigrationAdapter extends ConnectionQueryable implements SqlDriverAdapter {
  failure: unknown;
  readonly #client: pg.Client;
  readonly #dispose: () => Promise<void>;
  readonly #letters: Set<number>;

  constructor(client: pg.Client, dispose: () => Promise<void> = async () => {}) {
    const letters = new Set<number>();
    super({ query: hideLetters(client, letters) });
    this.#client = client;
    this.#dispose = dispose;
    this.#letters = letters;
  }

  override async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    const result = await super.queryRaw(query);
    const columnTypes = result.columnTypes.map((type, i) => (this.#letters.has(i) ? ColumnTypeEnum.Character : type));
    return { ...result, columnTypes };
  }

  async executeScript(script: string): Promise<void> {
    try {
      await this.#client.query(script);
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  startTransaction(): Promise<never> {
    return Promise.reject(new Error('A migration is one transaction already.'));
  }

  getConnectionInfo() {
    return { schemaName: 'public', supportsRelationJoins: true };
  }

  dispose(): Promise<void> {
    return this.#dispose();
  }
}

/**
 * Reports columns of type `"char"` in the catalogue as text: Prisma's adapter refuses the type. `letters` holds their
 * indexes.
 */
function hideLetters(client: pg.Client, letters: Set<number>): pg.Client['query'] {
  const query = async (...args: unknown[]) => {
    const result: pg.QueryResult = await Reflect.apply(client.query, client, args);
    letters.clear();
    for (const [index, field] of (result.fields ?? []).entries()) {
      if (field.dataTypeID !== pg.types.builtins.CHAR) continue;
      field.dataTypeID = pg.types.builtins.TEXT;
      letters.add(index);
    }
    return result;
  };
  return query as pg.Client['query'];
}

/** Also serves the scripts that create migrations: they compare schemas on a second, empty database. */
export class MigrationAdapterFactory implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'postgres';
  readonly adapterName = 'quarterdeck-postgresql';
  readonly #adapter: SqlDriverAdapter;
  readonly #connectToShadow: () => Promise<SqlDriverAdapter>;

  constructor(adapter: SqlDriverAdapter, connectToShadow?: () => Promise<SqlDriverAdapter>) {
    this.#adapter = adapter;
    this.#connectToShadow = connectToShadow ?? (() => Promise.reject(new Error('There is no second database.')));
  }

  connect(): Promise<SqlDriverAdapter> {
    return Promise.resolve(this.#adapter);
  }

  connectToShadowDb(): Promise<SqlDriverAdapter> {
    return this.#connectToShadow();
  }
}
