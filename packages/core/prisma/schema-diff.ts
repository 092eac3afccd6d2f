// SQL that leads from the migrations to the models; empty when they agree.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import type { Dialect } from '../src/db/database.ts';
import type { Migration } from '../src/db/migrations.ts';
import * as postgresql from '../src/db/postgresql/migrate.ts';
import { startSchemaEngine, toMigrationList } from '../src/db/schema-engine.ts';
import * as sqlite from '../src/db/sqlite/migrate.ts';
import type { PostgresServer } from '../test/postgres.ts';
import { UNMODELED_TABLES } from './unmodeled.ts';

const SCHEMA_FILES = ['provider.prisma', 'models.prisma', 'tables.prisma'];

/** Returns the SQL that `migrations` lack; empty when they make exactly what the models say. */
export async function schemaDiff(
  dialect: Dialect,
  migrations: readonly Migration[],
  server: PostgresServer,
): Promise<string> {
  if (dialect === 'sqlite') return await diff(dialect, migrations, new sqlite.MigrationAdapterFactory());
  const client = new pg.Client({ connectionString: server.url });
  try {
    await client.connect();
    const adapter = new postgresql.MigrationAdapter(client);
    const openShadow = () => createShadow(client, server.url);
    return await diff(dialect, migrations, new postgresql.MigrationAdapterFactory(adapter, openShadow));
  } finally {
    await client.end();
  }
}

async function diff(
  dialect: Dialect,
  migrations: readonly Migration[],
  factory: SqlMigrationAwareDriverAdapterFactory,
): Promise<string> {
  const engine = await startSchemaEngine(factory);
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...toMigrationList(dialect, migrations) },
      to: {
        tag: 'schemaDatamodel',
        files: SCHEMA_FILES.map((path) => ({ path, content: readSchema(dialect, path) })),
      },
      script: true,
      exitCode: null,
      filters: { externalTables: [...UNMODELED_TABLES[dialect]], externalEnums: [] },
    });
    const sql = stdout ?? '';
    // An empty difference comes as a comment.
    return sql.replace(/^-- This is an empty migration\.\s*$/m, '').trim();
  } finally {
    engine.free();
  }
}

/**
 * Reads a schema file as the migrations of `dialect` see it. Lines that begin with `//postgresql` or `//sqlite` count
 * on that database alone. SQLite has one type of integer, of 64 bits, and only under the name INTEGER does it make an
 * id that counts up by itself. Prisma names a BigInt otherwise, so on SQLite every number is an Int.
 */
function readSchema(dialect: Dialect, path: string): string {
  const content = readFileSync(new URL(`${dialect}/${path}`, import.meta.url), 'utf8').replaceAll(`//${dialect} `, '');
  return dialect === 'sqlite' ? content.replace(/\bBigInt\b/g, 'Int') : content;
}

async function createShadow(server: pg.Client, url: string): Promise<postgresql.MigrationAdapter> {
  const database = `shadow_${randomUUID().replaceAll('-', '')}`;
  await server.query(`CREATE DATABASE ${database}`);
  const address = new URL(url);
  address.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  return new postgresql.MigrationAdapter(client, undefined, async () => {
    await client.end();
  });
}
