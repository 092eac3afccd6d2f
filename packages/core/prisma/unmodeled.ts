// Objects of the schema that Prisma cannot describe. Migrations make them; this list is checked against the migrations.
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import type { Dialect } from '../src/db/database.ts';
import type { Migration } from '../src/db/migrations.ts';
import type { PostgresServer } from '../test/postgres.ts';

/** Objects beside the models. A migration that adds or drops one changes this list. */
export const UNMODELED: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    // Both tables of fingerprints (decision 020).
    'view errlog_fingerprint',
    // The search index (decision 009).
    'virtual table errlog_search',
    'virtual table errlog_search_trigram',
  ],
  // Of the search index (decision 068).
  postgresql: ['extension pg_trgm', 'function errlog_search_form'],
};

/** Tables that the models leave out: the virtual ones, and those in which SQLite keeps their content. */
export const UNMODELED_TABLES: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    'errlog_search',
    'errlog_search_config',
    'errlog_search_data',
    'errlog_search_docsize',
    'errlog_search_idx',
    'errlog_search_trigram',
  ],
  postgresql: [],
};

const ON_SQLITE = `SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END || ' ' || name AS object
  FROM sqlite_schema WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL TABLE %'`;

const ON_POSTGRESQL = `SELECT 'view ' || viewname AS object FROM pg_views WHERE schemaname = 'public'
  UNION ALL SELECT 'view ' || matviewname FROM pg_matviews WHERE schemaname = 'public'
  UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'extension ' || extname FROM pg_extension WHERE extname <> 'plpgsql'
  UNION ALL SELECT 'function ' || proname FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`;

/** Reads the objects that migrations make beside the models, in order. */
export async function readUnmodeled(
  dialect: Dialect,
  migrations: readonly Migration[],
  server: PostgresServer,
): Promise<string[]> {
  const script = migrations.map(({ sql }) => sql).join('\n');
  const rows = dialect === 'sqlite' ? readSqlite(script) : await readPostgres(script, server);
  return rows.map(({ object }) => object).sort();
}

interface ObjectRow {
  readonly object: string;
}

function readSqlite(script: string): ObjectRow[] {
  const connection = new BetterSqlite3(':memory:');
  try {
    connection.exec(script);
    return connection.prepare(ON_SQLITE).all() as ObjectRow[];
  } finally {
    connection.close();
  }
}

async function readPostgres(script: string, server: PostgresServer): Promise<ObjectRow[]> {
  const client = new pg.Client({ connectionString: await server.createDatabase() });
  await client.connect();
  try {
    await client.query(script);
    return (await client.query<ObjectRow>(ON_POSTGRESQL)).rows;
  } finally {
    await client.end();
  }
}
