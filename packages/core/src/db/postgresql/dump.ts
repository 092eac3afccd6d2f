// Copies a PostgreSQL database to a file and back, with the programs pg_dump and pg_restore of PostgreSQL.
import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import type { PostgresHost } from '../../postgres-address.ts';
import { countStatement, type DatabaseContents, type DatabaseCopy, foreignText } from '../contents.ts';
import { DatabaseError } from '../database-error.ts';
import { knownMigrations, migrationNames } from '../migrations.ts';
import { digestOf } from '../sqlite/backup.ts';
import { createPrivate } from '../sqlite/process-lock.ts';
import { foreignEntries, foreignObjectsOf, objectsOutside } from './foreign-objects.ts';
import type { PrimaryClient } from './primary-client.ts';
import { connectionEnvironment, majorVersion, runProgram } from './programs.ts';

/** Without partitions, whose rows are those of their table. */
const TABLES = `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
  AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`;
const ANY_TABLE = "SELECT FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1";

/** Copies a database, as it is at one moment, to a new file of mode 0600. Leaves no file where it fails. */
export async function dumpPostgres(url: string, target: string, signal?: AbortSignal): Promise<DatabaseCopy> {
  rmSync(target, { force: true });
  createPrivate(target);
  try {
    const contents = await withClient(url, async (client) => {
      const program = await majorVersion('pg_dump');
      const { rows } = await client.query<{ version: number }>(
        "SELECT current_setting('server_version_num')::int / 10000 AS version",
      );
      const server = rows[0]?.version ?? 0;
      if (program < server) {
        throw new DatabaseError(
          'io',
          `pg_dump ${program} cannot read PostgreSQL ${server}; install the client programs of PostgreSQL ${server} or later.`,
        );
      }
      // The counts and the dump are of the same moment.
      await client.query('SET idle_in_transaction_session_timeout = 0');
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const exported = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
      const snapshot = `--snapshot=${exported.rows[0]?.id}`;
      const args = ['--format=custom', '--no-owner', '--no-privileges', '--no-password', snapshot, `--file=${target}`];
      const read = await contentsOf(client);
      // A snapshot belongs to one server: that of this connection.
      await runProgram('pg_dump', args, connectionEnvironment(url, client), signal);
      return read;
    });
    await checkDump(target, signal);
    const descriptor = openSync(target, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
    return { bytes: statSync(target).size, sha256: await digestOf(target), contents };
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
}

/**
 * Reads a dump to its end; resolves with its entries that are not of Quarterdeck, such as
 * `TRIGGER public user promote`. Throws kind `damaged` where it is not complete.
 */
export async function checkDump(file: string, signal?: AbortSignal): Promise<string[]> {
  try {
    await runProgram('pg_restore', ['--file=/dev/null', file], {}, signal);
    return foreignEntries(await runProgram('pg_restore', ['--list', file], {}, signal));
  } catch (error) {
    throw error instanceof DatabaseError && error.kind === 'io'
      ? new DatabaseError('damaged', `${file} is damaged, or no dump: ${error.message}`, { cause: error })
      : error;
  }
}

/** Rejects with kind `foreign` for a database that has tables; resolves with the host of an empty one. */
export async function checkEmptyPostgres(url: string): Promise<PostgresHost> {
  const { rowCount, at } = await withClient(url, async (client) => {
    const found = await client.query(ANY_TABLE);
    return { rowCount: found.rowCount, at: { host: client.host, port: client.port } };
  });
  if (rowCount === 0) return at;
  throw new DatabaseError(
    'foreign',
    'The PostgreSQL database is not empty. Create an empty one and name it in QUARTERDECK_DATABASE_URL; the old one stays as it is.',
  );
}

/**
 * Restores a dump into an empty database: completely, or not at all. Throws kind `foreign` for a dump with objects that
 * are not of Quarterdeck.
 */
export async function restoreDump(url: string, file: string): Promise<void> {
  const at = await checkEmptyPostgres(url);
  refuseForeign(foreignEntries(await runProgram('pg_restore', ['--list', file], {})));
  const outside = await withClient(url, objectsOutside);
  const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-password'];
  // An address without parts: all of them are in the environment, where other users cannot read them.
  await runProgram('pg_restore', [...args, '--dbname=postgresql://', file], connectionEnvironment(url, at));
  // The list of a dump is what the dump says of itself: the objects that are there decide.
  await withClient(url, async (client) => {
    const foreign = await foreignObjectsOf(client, knownMigrations('postgresql'), outside);
    if (foreign.length === 0) return;
    await client.query('BEGIN; DROP SCHEMA public CASCADE; CREATE SCHEMA public; COMMIT').catch(() => undefined);
    refuseForeign(foreign);
  });
}

function refuseForeign(objects: readonly string[]): void {
  if (objects.length === 0) return;
  throw new DatabaseError('foreign', foreignText('The backup', objects));
}

/** Reads the contents in numbers. */
async function contentsOf(client: PrimaryClient): Promise<DatabaseContents> {
  const namesOf = async (query: string) => (await client.query<{ name: string }>(query)).rows.map(({ name }) => name);
  const rows: Record<string, number> = {};
  for (const table of await namesOf(TABLES)) {
    const counted = await client.query<{ n: string }>(countStatement(table));
    rows[table] = Number(counted.rows[0]?.n);
  }
  return { migrations: await namesOf(migrationNames), rows };
}

async function withClient<T>(url: string, work: (client: PrimaryClient) => Promise<T>): Promise<T> {
  // Loaded on demand: each driver is an optional dependency.
  const { PrimaryClient } = await import('./primary-client.ts');
  const { PrimaryHosts } = await import('./primary-hosts.ts');
  const { startFailure } = await import('./start-failure.ts');
  const client = new PrimaryClient(new PrimaryHosts(url), { application_name: 'quarterdeck backup' });
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw startFailure(error, `${client.host}:${client.port}`);
  } finally {
    await client.end().catch(() => {});
  }
}
