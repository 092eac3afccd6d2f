import type { Database } from '../database.ts';

export type DatabaseOptions = (
  | {
      readonly kind: 'sqlite';
      readonly dataDir: string;
      /** Bound on the size of all files: those beside the database take less space where it is small. */
      readonly maxBytes?: number | undefined;
    }
  | { readonly kind: 'postgresql'; readonly url: string }
) & {
  /** Reject with the kind `missing` instead of creating the tables in an empty database. */
  readonly mustExist?: boolean;
};

/**
 * Opens the database, creating or migrating it first. SQLite: the file `quarterdeck.db` in `dataDir`, for this process
 * alone. PostgreSQL: any number of processes. Rejects with {@link DatabaseError} and leaves nothing open then. A file
 * that is damaged, of another program, or newer than this version is not changed.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  // Loaded on demand: each driver is an optional dependency.
  if (options.kind === 'sqlite') {
    const { openSqlite } = await import('../sqlite/open.ts');
    return await openSqlite(options);
  }
  const { openPostgres } = await import('../postgresql/open.ts');
  return await openPostgres(options.url, options.mustExist);
}
