// The migrations of this version, and those that a database still needs. Each database applies them in its own way.
import { readdirSync, readFileSync } from 'node:fs';
import type { Dialect } from './database.ts';
import { DatabaseError } from './database-error.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** A row of `_prisma_migrations`. */
export interface AppliedMigration {
  readonly name: string;
  /** 1 or 0, like `undone`. */
  readonly finished: number;
  readonly undone: number;
}

/** Table in which the schema engine records the applied migrations. */
export const RECORDS_TABLE = '_prisma_migrations';

/** Data without this migration is from version 0.1, or from the two days behind it. */
const OLDEST = '20261122200301_errlog_segments';

/** Reads {@link AppliedMigration} rows on both databases. */
export const appliedMigrationsQuery =
  'SELECT migration_name AS name, CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END AS finished, ' +
  'CASE WHEN rolled_back_at IS NULL THEN 0 ELSE 1 END AS undone FROM _prisma_migrations';

/** Reads the version of Quarterdeck that last used a database, on both databases. */
export const lastVersionQuery = "SELECT value AS version FROM setting WHERE name = 'version'";

/** Reads every migration of this version, oldest first. The folder is beside `src` and `dist` alike. */
export function knownMigrations(dialect: Dialect): Migration[] {
  const folder = new URL(`../../prisma/${dialect}/migrations/`, import.meta.url);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(new URL(`${name}/migration.sql`, folder), 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Returns the names of the migrations still to be applied. Throws kind `newer` for an unknown one, with the version
 * that last used the database. Throws kind `migration` for data of version 0.1, and for a migration that was begun and
 * never finished. Only another tool leaves such a one: ours are atomic.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  database: string,
  lastVersion: string | undefined,
): string[] {
  const current = applied.filter(({ undone }) => undone === 0);
  const names = new Set(known.map(({ name }) => name));
  const newer = current.find(({ name }) => !names.has(name));
  if (newer !== undefined) {
    const use = lastVersion === undefined ? `it has ${newer.name}` : `use ${lastVersion} or newer`;
    throw new DatabaseError('newer', `${database} was made by a newer version of Quarterdeck (${use}).`);
  }
  const broken = current.find(({ finished }) => finished === 0);
  if (broken !== undefined) {
    throw new DatabaseError('migration', `${database} was left in the middle of the migration ${broken.name}.`);
  }
  if (current.length > 0 && !current.some(({ name }) => name === OLDEST)) {
    throw new DatabaseError(
      'migration',
      `${database} was made by version 0.1.0 of 22 November 2026, whose data this version does not read. ` +
        'Keep it for that version, and start this one with an empty database.',
    );
  }
  const done = new Set(current.map(({ name }) => name));
  return known.map(({ name }) => name).filter((name) => !done.has(name));
}

/** Names of the applied migrations, oldest first, on both databases. */
export const migrationNames = `SELECT migration_name AS name FROM ${RECORDS_TABLE} WHERE rolled_back_at IS NULL ORDER BY 1`;
