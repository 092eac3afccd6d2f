// Databases as an earlier version left them.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { knownMigrations } from '../src/db/migrations.ts';
import type { DatabaseOptions } from '../src/db/open/index.ts';
import { migratePostgres } from '../src/db/postgresql/migrate.ts';
import { migrateSqlite } from '../src/db/sqlite/migrate.ts';

/** Creates a database with the migrations up to `lastMigration` (without its date), and runs a script in it. */
export async function makeOldDatabase(place: DatabaseOptions, lastMigration: string, script: string): Promise<void> {
  const known = knownMigrations(place.kind);
  const last = known.findIndex(({ name }) => name.endsWith(`_${lastMigration}`));
  if (last < 0) throw new Error(`there is no migration ${lastMigration}`);
  const migrations = known.slice(0, last + 1);
  if (place.kind === 'postgresql') {
    await migratePostgres(place.url, migrations);
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    try {
      await client.query(script);
    } finally {
      await client.end();
    }
    return;
  }
  await mkdir(place.dataDir, { recursive: true, mode: 0o700 });
  const file = join(place.dataDir, 'quarterdeck.db');
  await migrateSqlite(
    file,
    migrations,
    migrations.map(({ name }) => name),
    true,
  );
  const connection = new BetterSqlite3(file);
  try {
    connection.exec(script);
  } finally {
    connection.close();
  }
}

/** Leaves the file of a closed database as version 0.1 made it: it never gives unused pages back. */
export function keepUnusedPages(dataDir: string): void {
  const connection = new BetterSqlite3(join(dataDir, 'quarterdeck.db'));
  connection.pragma('journal_mode = DELETE');
  connection.pragma('auto_vacuum = NONE');
  connection.exec('VACUUM');
  connection.close();
}
