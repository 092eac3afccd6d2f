// Vacuums groups on PostgreSQL soon after a flood of new ones (decision 066). Until a vacuum has marked the pages, a
// read of an index looks up every group as well. The planner has no statistics, either. Autovacuum comes up to a minute
// later.
import { type Database, DatabaseError } from '@quarterdeck/core/db';
import { onPostgres } from '@quarterdeck/core/sql';
import { NONE_IS_OLD } from './index-upkeep.ts';

/** Changed rows that are worth a vacuum, beside a tenth of the table. */
const MANY_ROWS = 10_000;
/** Largest table with its indexes: a vacuum of it ends within the time limit of a statement. */
const LARGE_BYTES = 400_000_000;

// A group that the search has learnt counts twice: as a new row, and as a row that an update left behind.
const DUE = onPostgres(
  `SELECT 1 AS due FROM pg_stat_user_tables WHERE relid = 'errlog'::regclass
    AND n_ins_since_vacuum + n_dead_tup > $1 + n_live_tup / 10
    AND greatest(last_vacuum, last_autovacuum, '-infinity') < now() - interval '30 seconds'
    AND pg_total_relation_size(relid) < ${LARGE_BYTES} AND ${NONE_IS_OLD}`,
);
// Truncating would wait for an exclusive lock.
const VACUUM = onPostgres('VACUUM (ANALYZE, SKIP_LOCKED, TRUNCATE FALSE) errlog');

/** Pause after a vacuum that took too long: the next one would, too. */
const PAUSE_MS = 600_000;

/**
 * Returns a function that vacuums groups if more than `manyRows` and a tenth of them changed since the last vacuum; it
 * returns whether it did. It does nothing on SQLite. What takes too long is left to autovacuum.
 */
export function groupVacuum({ dialect, read }: Database, manyRows = MANY_ROWS): () => Promise<boolean> {
  let pausedUntilMs = 0;
  return async () => {
    if (dialect === 'sqlite' || performance.now() < pausedUntilMs) return false;
    if ((await read.sql.get(DUE, manyRows)) === undefined) return false;
    try {
      // Not in a write: a vacuum has transactions of its own.
      await read.sql.run(VACUUM);
      return true;
    } catch (error) {
      if (!(error instanceof DatabaseError && (error.kind === 'busy' || error.kind === 'timeout'))) throw error;
      pausedUntilMs = performance.now() + PAUSE_MS;
      return false;
    }
  };
}
