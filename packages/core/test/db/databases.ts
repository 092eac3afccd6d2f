// Databases for tests: new ones of either kind.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { type Database, type DatabaseOptions, type Dialect, openDatabase } from '../../src/db/index.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';

export const dialects: readonly Dialect[] = ['sqlite', 'postgresql'];

let server: Promise<PostgresServer> | undefined;

/** Returns the PostgreSQL of this test file; the first call starts it. */
export function postgres(): Promise<PostgresServer> {
  server ??= startPostgres();
  return server;
}

const templates = new Map<Dialect, Promise<DatabaseOptions>>();

afterAll(async () => {
  const template = await templates.get('sqlite');
  if (template?.kind === 'sqlite') await rm(template.dataDir, { recursive: true, force: true });
  await (await server)?.stop();
});

/** Creates a directory, which is removed when the test has finished. */
export async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quarterdeck-db-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Creates a place at which a test can open a database of this kind, as often as it likes. */
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

/** Opens a new database with its tables: a copy, which is faster than migrating. */
export async function openNew(dialect: Dialect): Promise<Database> {
  const template = templates.get(dialect) ?? makeTemplate(dialect);
  templates.set(dialect, template);
  return await open(await copyOf(await template));
}

async function makeTemplate(dialect: Dialect): Promise<DatabaseOptions> {
  const place: DatabaseOptions =
    dialect === 'sqlite'
      ? { kind: 'sqlite', dataDir: await mkdtemp(join(tmpdir(), 'quarterdeck-template-')) }
      : { kind: 'postgresql', url: await (await postgres()).createDatabase() };
  await (await openDatabase(place)).close();
  return place;
}

async function copyOf(template: DatabaseOptions): Promise<DatabaseOptions> {
  if (template.kind === 'postgresql') {
    return { ...template, url: await (await postgres()).createDatabase(template.url) };
  }
  const dataDir = join(await createDirectory(), 'data');
  await mkdir(dataDir, { mode: 0o700 });
  await copyFile(join(template.dataDir, 'quarterdeck.db'), join(dataDir, 'quarterdeck.db'));
  return { ...template, dataDir };
}
