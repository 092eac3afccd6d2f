// Which migrations there are, and what a database says about them. Applying them is each database's own business.
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

/** Reads {@link AppliedMigration} rows on both databases. */
export const appliedMigrationsQuery =
  'SELECT migration_name AS name, CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END AS finished, ' +
  'CASE WHEN rolled_back_at IS NULL THEN 0 ELSE 1 END AS undone FROM _prisma_migrations';

/** Every migration of this version, oldest first. The folder lies beside `src` and `dist` alike. */
export function knownMigrations(dialect: Dialect): Migration[] {
  const folder = new URL(`../../prisma/${dialect}/migrations/`, import.meta.url);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(new URL(`${name}/migration.sql`, folder), 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The names of the migrations still to be applied. Throws kind `newer` for one we do not know, and `migration` for one
 * that was begun and never finished (only another tool leaves such a thing behind: ours are atomic).
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  database: string,
): string[] {
  const current = applied.filter(({ undone }) => undone === 0);
  const names = new Set(known.map(({ name }) => name));
  const newer = current.find(({ name }) => !names.has(name));
  if (newer !== undefined) {
    throw new DatabaseError('newer', `${database} was made by a newer version of Quarterdeck (it has ${newer.name}).`);
  }
  const broken = current.find(({ finished }) => finished === 0);
  if (broken !== undefined) {
    throw new DatabaseError('migration', `${database} was left in the middle of the migration ${broken.name}.`);
  }
  const done = new Set(current.map(({ name }) => name));
  return known.map(({ name }) => name).filter((name) => !done.has(name));
}
