// Writes the next migration of both databases: `node prisma/make-migration.ts add_labels`. Read the SQL before you
// commit it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dialects, schemaDiff } from './schema-diff.ts';

const [name] = process.argv.slice(2);
if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
  throw new Error(
    'Say what the migration does, in small letters and underscores: node prisma/make-migration.ts add_labels',
  );
}

const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
for (const dialect of dialects) {
  const sql = await schemaDiff(dialect);
  const folder = new URL(`${dialect}/migrations/${stamp}_${name}/`, import.meta.url);
  // Both databases get every migration, so that their histories have the same names.
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('migration.sql', folder), `${sql === '' ? '-- Nothing to do on this database.' : sql}\n`);
  process.stdout.write(`${folder.pathname}\n`);
}
