// Number of groups of a filter: kept, or counted in an index.
import type { Database } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import { CommitCache } from '../../sql/commit-cache.ts';
import { type GroupFilter, isCounted, totalWhere } from '../tables/filter.ts';
import { countOf, inOrder } from './ordered-scan.ts';

/** Numbers that were counted, until the next commit: pages of one list share one. */
const counted = new CommitCache<number>(16);

/** Number of the groups that a filter without text search matches. */
export async function countGroups(db: Database, filter: GroupFilter): Promise<number> {
  const { sql } = db.read;
  if (!isCounted(filter)) {
    return counted.get(db, JSON.stringify(filter), async () => countOf(sql, await inOrder(db, filter, '-log_time')));
  }
  const kept = totalWhere(filter);
  const text = `SELECT CAST(coalesce(sum(t.n), 0) AS bigint) AS n FROM errlog_total t${kept.text}`;
  return (await sql.get<{ n: number }>(cached(text), ...kept.values))?.n ?? 0;
}
