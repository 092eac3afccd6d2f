// Rows and statements of the tests of one database, and the database itself.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Database, type Dialect, openDatabase, statement, type Tx } from '../../src/db/open/index.ts';
import type { PostgresServer } from '../postgres.ts';
import { copyTemplate } from './databases.ts';

export const addEvent = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, ?)');
export const listTypes = statement('SELECT type FROM event ORDER BY id');
export const addUser = statement(
  'INSERT INTO "user" (username, password_hash, role, disabled, created_ms, modified_ms) VALUES (?, ?, ?, ?, ?, ?)',
);
export const broken = statement('INSERT INTO event (type, data, time_ms) VALUES (NULL, NULL, NULL)');

export const user = { username: 'ada', passwordHash: 'x', role: 'master', createdMs: 1n, modifiedMs: 1n };

export function addEventNamed(type: string) {
  return (tx: Tx) => tx.sql.run(addEvent, type, '{}', 1);
}

/** Opens a database that the tests of a block share; each begins with empty tables. Returns it once a test runs. */
export function useSharedDatabase(dialect: Dialect, postgres: () => Promise<PostgresServer>): () => Database {
  let database: Database;
  // A step of its own: with the migrations it takes a busy machine long.
  if (dialect === 'postgresql') beforeAll(async () => void (await postgres()));
  beforeAll(async () => {
    database = await openDatabase(
      dialect === 'sqlite'
        ? await copyTemplate(join(await mkdtemp(join(tmpdir(), 'quarterdeck-db-')), 'data'))
        : { kind: 'postgresql', url: (await postgres()).url },
    );
  });
  afterAll(() => database?.close());
  beforeEach(() =>
    database.write(async ({ prisma }) => {
      await prisma.event.deleteMany();
      await prisma.user.deleteMany();
    }),
  );
  return () => database;
}
