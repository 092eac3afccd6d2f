// The contents of a database in numbers, for the manifest of a backup.

/** The contents of a database. */
export interface DatabaseContents {
  /** Applied migrations, oldest first. */
  readonly migrations: readonly string[];
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Returns the statement that counts the rows of a table. */
export const countStatement = (table: string): string => `SELECT count(*) AS n FROM "${table.replaceAll('"', '""')}"`;

/** Names of the applied migrations, oldest first, on both databases. */
export const migrationNames =
  'SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name';
