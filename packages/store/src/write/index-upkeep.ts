// Rebuilds sparse indexes of groups on PostgreSQL (decision 066). Each line moves its group to the end of the indexes
// by time. The pages behind it keep the few groups that did not move, and a vacuum frees empty pages only.
import { type Database, DatabaseError } from '@quarterdeck/core/db';
import { onPostgres } from '@quarterdeck/core/sql';

/** Size that an index may have: of a fresh one, a row takes 30 to 100 bytes. */
const LARGE_BYTES = 8_000_000;
const ROW_BYTES = 200;

/** Condition that no transaction is old, such as that of a backup. A rebuild waits for it, a vacuum leaves its rows. */
export const NONE_IS_OLD = `NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
  AND backend_xmin IS NOT NULL AND xact_start < now() - interval '2 seconds')`;

const SPARSE = onPostgres(
  `SELECT indexrelid::regclass::text AS name FROM pg_index
    WHERE indrelid = 'errlog'::regclass AND indisvalid AND pg_relation_size(indexrelid) >
      $1 + ${ROW_BYTES} * (SELECT coalesce(sum(n), 0) FROM errlog_total WHERE src = -2)
    AND ${NONE_IS_OLD}
    ORDER BY pg_relation_size(indexrelid) DESC`,
);
const LEFT_OVER = onPostgres(
  `SELECT indexrelid::regclass::text AS name FROM pg_index
    WHERE indrelid = 'errlog'::regclass AND NOT indisvalid AND indexrelid::regclass::text LIKE '%\\_cc%'`,
);

interface Named {
  readonly name: string;
}

/** Tells whether {@link rebuildIndexes} has something to do; false on SQLite. */
export async function hasSparseIndex({ dialect, read }: Database, largeBytes = LARGE_BYTES): Promise<boolean> {
  return dialect === 'postgresql' && (await read.sql.get(SPARSE, largeBytes)) !== undefined;
}

/**
 * Rebuilds the indexes of groups that are larger than `largeBytes` and sparse, while lines are stored. One server at a
 * time may do so. What takes too long is tried again in the next round.
 */
export async function rebuildIndexes(
  db: Database,
  stopped: () => boolean,
  largeBytes = LARGE_BYTES,
): Promise<readonly string[]> {
  const rebuilt: string[] = [];
  // A rebuild that was cut off leaves an index that is written to and never read.
  for (const { name } of await db.read.sql.all<Named>(LEFT_OVER)) {
    await db.write(({ sql }) => sql.run(onPostgres(`DROP INDEX IF EXISTS ${name}`)));
  }
  for (const { name } of await db.read.sql.all<Named>(SPARSE, largeBytes)) {
    if (stopped()) break;
    try {
      // Not in a write: it consists of several transactions.
      await db.read.sql.run(onPostgres(`REINDEX INDEX CONCURRENTLY ${name}`));
      rebuilt.push(name);
    } catch (error) {
      if (error instanceof DatabaseError && (error.kind === 'busy' || error.kind === 'timeout')) break;
      throw error;
    }
  }
  return rebuilt;
}
