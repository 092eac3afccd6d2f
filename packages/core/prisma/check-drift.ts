// Fails when migrations and models disagree: `node prisma/check-drift.ts`.
import type { Dialect } from '../src/db/database.ts';
import { knownMigrations, type Migration } from '../src/db/migrations.ts';
import { type PostgresServer, startPostgres } from '../test/postgres.ts';
import { schemaDiff } from './schema-diff.ts';
import { readUnmodeled, UNMODELED } from './unmodeled.ts';

export const dialects: readonly Dialect[] = ['sqlite', 'postgresql'];

/** Returns the differences between the migrations of a database and its models, one text each. */
export async function findDrift(
  dialect: Dialect,
  server: PostgresServer,
  migrations: readonly Migration[] = knownMigrations(dialect),
): Promise<string[]> {
  const sql = await schemaDiff(dialect, migrations, server);
  const made = await readUnmodeled(dialect, migrations, server);
  const listed = UNMODELED[dialect];
  return [
    ...(sql === '' ? [] : [`The ${dialect} migrations lack this (node prisma/make-migration.ts NAME):\n${sql}`]),
    ...listed.filter((object) => !made.includes(object)).map((object) => `The ${dialect} migrations lack ${object}.`),
    ...made.filter((object) => !listed.includes(object)).map((object) => `${dialect}: unmodeled.ts lacks ${object}.`),
  ];
}

if (import.meta.main) {
  const server = await startPostgres();
  try {
    for (const dialect of dialects) {
      const drift = await findDrift(dialect, server);
      for (const text of drift) process.stderr.write(`${text}\n`);
      if (drift.length > 0) process.exitCode = 1;
    }
  } finally {
    await server.stop();
  }
}
