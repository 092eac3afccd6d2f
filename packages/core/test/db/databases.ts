// The databases the tests run on: a new, empty one of either kind for each test that asks.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { type Database, type DatabaseOptions, type Dialect, openDatabase } from '../../src/db/index.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';

export const dialects: readonly Dialect[] = ['sqlite', 'postgresql'];

let server: Promise<PostgresServer> | undefined;

/** The PostgreSQL of this test file, started when the first test needs it. */
export function postgres(): Promise<PostgresServer> {
  server ??= startPostgres();
  return server;
}

afterAll(async () => {
  await (await server)?.stop();
});

/** A directory that is gone when the test has finished. */
export async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quarterdeck-db-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Where a database of this kind can be opened, as often as the test likes. */
export async function createPlace(dialect: Dialect): Promise<DatabaseOptions> {
  if (dialect === 'sqlite') return { kind: 'sqlite', dataDir: join(await createDirectory(), 'data') };
  return { kind: 'postgresql', url: await (await postgres()).createDatabase() };
}

/** Opens a database that is closed when the test has finished. */
export async function open(place: DatabaseOptions): Promise<Database> {
  const database = await openDatabase(place);
  onTestFinished(() => database.close());
  return database;
}

export async function openNew(dialect: Dialect): Promise<Database> {
  return await open(await createPlace(dialect));
}
