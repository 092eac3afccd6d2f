// Brings a PostgreSQL database to the current schema, in one transaction and one process at a time.
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { DatabaseError } from '../database-error.ts';
import {
  type AppliedMigration,
  appliedMigrationsQuery,
  lastVersionQuery,
  type Migration,
  pendingMigrations,
} from '../migrations.ts';
import { unfinishedMove } from '../move-marker.ts';
import { MOVE_TABLE } from '../moved-tables.ts';
import { noFilter, startSchemaEngine, toMigrationList } from '../schema-engine.ts';
import { PrimaryClient } from './primary-client.ts';
import { PrimaryHosts } from './primary-hosts.ts';
import { ConnectionQueryable } from './queryable.ts';
import { placeOf, startFailure } from './start-failure.ts';

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
  const hosts = new PrimaryHosts(url);
  const client = createClient(hosts);
  try {
    await connect(client, hosts);
    await checkEncoding(client);
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
    throw startFailure(thrown, hosts.text ?? placeOf(hosts.url), 'migration');
  } finally {
    // Also rolls back an open transaction.
    await client.end().catch(() => {});
  }
}

/** Creates the connection; an address can name a file that is not there. */
function createClient(hosts: PrimaryHosts): PrimaryClient {
  try {
    return new PrimaryClient(hosts, { application_name: 'quarterdeck migration' });
  } catch (thrown) {
    throw startFailure(thrown, hosts.text ?? placeOf(hosts.url), 'denied');
  }
}

async function connect(client: pg.Client, hosts: PrimaryHosts): Promise<void> {
  try {
    await client.connect();
  } catch (thrown) {
    throw startFailure(thrown, hosts.text ?? `${client.host}:${client.port}`, 'unavailable');
  }
}

/** State of a database before its migration. */
interface FoundTables {
  /** Schema in which tables are created; null where no schema of the search path exists. */
  readonly schema: string | null;
  readonly path: string;
  readonly ours: boolean;
  readonly moving: boolean;
  readonly settings: boolean;
  readonly tables: boolean;
}

/** A column that tells whether a table is in the schema of ours: other schemas of the path may have their own. */
const has = (table: string, name: string) =>
  `to_regclass(quote_ident(current_schema()) || '.${table}') IS NOT NULL AS ${name}`;

/** Refuses a database that cannot store every text: it would refuse a whole batch for one letter. */
async function checkEncoding(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string; name: string }>(
    "SELECT current_setting('server_encoding') AS encoding, current_database() AS name",
  );
  const { encoding = '', name = '' } = rows[0] ?? {};
  if (encoding === 'UTF8') return;
  throw new DatabaseError(
    'unsafe',
    `The database ${name} on ${client.host}:${client.port} has the encoding ${encoding}, and must have UTF8. ` +
      "Create one with ENCODING 'UTF8' TEMPLATE template0; restore a dump where this one has data.",
  );
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
  const { rows } = await client.query<FoundTables>(
    `SELECT current_schema() AS schema, current_setting('search_path') AS path, ${[
      has('_prisma_migrations', 'ours'),
      has('setting', 'settings'),
      has(MOVE_TABLE, 'moving'),
    ].join()}, EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema()) AS tables`,
  );
  const [found] = rows;
  if (found?.schema === null) {
    throw new DatabaseError(
      'denied',
      `PostgreSQL has no schema of the search_path ${found.path} that the user may use. Create one, and grant USAGE and CREATE on it.`,
    );
  }
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
  const { rows } = await client.query<{ schema: string }>('SELECT current_schema() AS schema');
  const adapter = new MigrationAdapter(client, rows[0]?.schema);
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
  /** The first error of a statement. */
  failure: unknown;
  readonly #client: pg.Client;
  readonly #schema: string;
  readonly #dispose: () => Promise<void>;
  readonly #letters: Set<number>;

  /** `schema` gets the tables. */
  constructor(client: pg.Client, schema = 'public', dispose: () => Promise<void> = async () => {}) {
    const letters = new Set<number>();
    const note = (error: unknown) => {
      this.failure ??= error;
    };
    super({ query: hideLetters(client, letters, note) });
    this.#client = client;
    this.#schema = schema;
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
    return { schemaName: this.#schema, supportsRelationJoins: true };
  }

  dispose(): Promise<void> {
    return this.#dispose();
  }
}

/**
 * Reports columns of type `"char"` in the catalogue as text: Prisma's adapter refuses the type. `letters` holds their
 * indexes. The engine reports errors with the places of its own code; `note` gets them as PostgreSQL does.
 */
function hideLetters(client: pg.Client, letters: Set<number>, note: (error: unknown) => void): pg.Client['query'] {
  const query = async (...args: unknown[]) => {
    const result: pg.QueryResult = await Reflect.apply(client.query, client, args).catch((error: unknown) => {
      note(error);
      throw error;
    });
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
