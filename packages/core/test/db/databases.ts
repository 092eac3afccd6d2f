// Databases for tests: new ones of either kind.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, onTestFinished } from 'vitest';
import { type Database, type DatabaseOptions, type Dialect, openDatabase } from '../../src/db/open/index.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';

export const dialects: readonly Dialect[] = ['sqlite', 'postgresql'];

type SqlitePlace = Extract<DatabaseOptions, { kind: 'sqlite' }>;

/** Returns a function for the PostgreSQL of a test file: its first call starts it, and it ends after the last test. */
export function usePostgres(): () => Promise<PostgresServer> {
  let server: Promise<PostgresServer> | undefined;
  afterAll(async () => {
    await (await server)?.stop();
  });
  return () => {
    server ??= startPostgres();
    return server;
  };
}

/** Creates a directory, which is removed when the test has finished. */
export async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quarterdeck-db-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Connects to a PostgreSQL; the connection ends with the test. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Opens a database that is closed when the test has finished. */
export async function open(place: DatabaseOptions): Promise<Database> {
  const database = await openDatabase(place);
  onTestFinished(() => database.close());
  return database;
}

let template: Promise<string> | undefined;

/** Copies a SQLite database with its tables to this directory, which is faster than migrating. */
export async function copyTemplate(dataDir: string): Promise<SqlitePlace> {
  template ??= makeTemplate();
  await mkdir(dataDir, { mode: 0o700 });
  await copyFile(await template, join(dataDir, 'quarterdeck.db'));
  return { kind: 'sqlite', dataDir };
}

/** Creates a file that the files of a worker copy. The folder of the temporary files is removed after the last one. */
async function makeTemplate(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quarterdeck-template-'));
  await (await openDatabase({ kind: 'sqlite', dataDir })).close();
  return join(dataDir, 'quarterdeck.db');
}

/** Creates a SQLite database with its tables, which is removed when the test has finished. */
export const newSqlite = async (): Promise<SqlitePlace> => copyTemplate(join(await createDirectory(), 'data'));
