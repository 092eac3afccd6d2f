// Writes the next migration of both databases: `node prisma/make-migration.ts add_labels`. Read the SQL before you
// commit it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { knownMigrations } from '../src/db/migrations.ts';
import { startPostgres } from '../test/postgres.ts';
import { dialects } from './check-drift.ts';
import { schemaDiff } from './schema-diff.ts';

const [name] = process.argv.slice(2);
if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
  throw new Error('Name the migration in lower case with underscores: node prisma/make-migration.ts add_labels');
}

const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const server = await startPostgres();
try {
  for (const dialect of dialects) {
    const sql = await schemaDiff(dialect, knownMigrations(dialect), server);
    const folder = new URL(`${dialect}/migrations/${stamp}_${name}/`, import.meta.url);
    // Both databases get every migration, so that their histories have the same names.
    mkdirSync(folder, { recursive: true });
    writeFileSync(new URL('migration.sql', folder), `${sql === '' ? '-- Nothing to do on this database.' : sql}\n`);
    process.stdout.write(`${folder.pathname}\n`);
  }
} finally {
  await server.stop();
}
