// What SQL leads from the migrations to the models; nothing, when they agree.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import type { Dialect } from '../src/db/database.ts';
import { knownMigrations } from '../src/db/migrations.ts';
import * as postgresql from '../src/db/postgresql/migrate.ts';
import { noFilter, startSchemaEngine, toMigrationList } from '../src/db/schema-engine.ts';
import * as sqlite from '../src/db/sqlite/migrate.ts';
import { type PostgresServer, startPostgres } from '../test/postgres.ts';

export const dialects: readonly Dialect[] = ['sqlite', 'postgresql'];

/**
 * The SQL that the migrations of `dialect` lack; empty when they make exactly what the models say. PostgreSQL answers for
 * itself: `server` is used if there is one, else one is started for this.
 */
export async function schemaDiff(dialect: Dialect, server?: PostgresServer): Promise<string> {
  if (dialect === 'sqlite') return await diff(dialect, new sqlite.MigrationAdapterFactory());
  if (server !== undefined) return await diffPostgres(server);
  const ours = await startPostgres();
  try {
    return await diffPostgres(ours);
  } finally {
    await ours.stop();
  }
}

async function diffPostgres(server: PostgresServer): Promise<string> {
  const client = new pg.Client({ connectionString: server.url });
  try {
    await client.connect();
    return await diff(
      'postgresql',
      new postgresql.MigrationAdapterFactory(new postgresql.MigrationAdapter(client), () => shadow(client, server.url)),
    );
  } finally {
    await client.end();
  }
}

async function diff(dialect: Dialect, factory: SqlMigrationAwareDriverAdapterFactory): Promise<string> {
  const engine = await startSchemaEngine(factory);
  try {
    const files = ['provider.prisma', 'models.prisma'].map((path) => ({ path, content: readSchema(dialect, path) }));
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...toMigrationList(dialect, knownMigrations(dialect)) },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: noFilter,
    });
    const sql = stdout ?? '';
    // An empty difference comes as a comment.
    return sql.replace(/^-- This is an empty migration\.\s*$/m, '').trim();
  } finally {
    engine.free();
  }
}

/**
 * SQLite has one type of integer, of 64 bits. Only under the name INTEGER does it make an id that counts up by itself,
 * and Prisma would call a BigInt something else, so there the columns are made as if every number were an Int.
 */
function readSchema(dialect: Dialect, path: string): string {
  const content = readFileSync(new URL(`${dialect}/${path}`, import.meta.url), 'utf8');
  return dialect === 'sqlite' ? content.replace(/\bBigInt\b/g, 'Int') : content;
}

async function shadow(server: pg.Client, url: string): Promise<postgresql.MigrationAdapter> {
  const database = `shadow_${randomUUID().replaceAll('-', '')}`;
  await server.query(`CREATE DATABASE ${database}`);
  const address = new URL(url);
  address.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  return new postgresql.MigrationAdapter(client, async () => {
    await client.end();
  });
}
