// Fails when the models say something that the migrations do not make: `node prisma/check-drift.ts`.
import type { PostgresServer } from '../test/postgres.ts';
import { dialects, schemaDiff } from './schema-diff.ts';

/** Every difference between models and migrations, as one text per database that has any. */
export async function findDrift(server?: PostgresServer): Promise<string[]> {
  const drift: string[] = [];
  for (const dialect of dialects) {
    const sql = await schemaDiff(dialect, server);
    if (sql !== '')
      drift.push(`The ${dialect} migrations lack this (node packages/core/prisma/make-migration.ts <name>):\n${sql}`);
  }
  return drift;
}

if (import.meta.main) {
  const drift = await findDrift();
  for (const text of drift) process.stderr.write(`${text}\n`);
  process.exitCode = drift.length === 0 ? 0 : 1;
}
