// Number of groups of a filter: kept, or counted in an index.
import { type Database, statement } from '@quarterdeck/core/db';
import { CommitCache, cached } from '@quarterdeck/core/sql';
import { type GroupFilter, isCounted, totalWhere } from '../tables/filter.ts';
import { countOf, inOrder } from './ordered-scan.ts';

/** Numbers that were counted, until the next commit: pages of one list share one. */
const counted = new CommitCache<number>(16);

/** Number of the groups that a filter without text search matches. */
export async function countGroups(db: Database, filter: GroupFilter): Promise<number> {
  const { sql } = db.read;
  if (!isCounted(filter)) return counted.get(db, JSON.stringify(filter), () => countEntries(db, filter));
  const kept = totalWhere(filter);
  const text = `SELECT CAST(coalesce(sum(t.n), 0) AS bigint) AS n FROM errlog_total t${kept.text}`;
  return (await sql.get<{ n: number }>(cached(text, { isShort: true }), ...kept.values))?.n ?? 0;
}

const ENDS = statement(
  'SELECT (SELECT min(log_time) FROM errlog) AS first, (SELECT max(log_time) FROM errlog) AS last',
  { isShort: true },
);

/** Counts entries of an index: those of the filter, or those before its span where they are likely to be fewer. */
async function countEntries(db: Database, filter: GroupFilter): Promise<number> {
  const { sql } = db.read;
  const count = async (one: GroupFilter) => countOf(sql, await inOrder(db, one, '-log_time'));
  const { start_time: start, end_time: end, ...rest } = filter;
  if (start === undefined || end !== undefined || !isCounted(rest)) return count(filter);
  const ends = await sql.get<{ first: number | null; last: number | null }>(ENDS);
  const { first, last } = { first: ends?.first ?? 0, last: ends?.last ?? 0 };
  if (start - first > last - start) return count(filter);
  return (await countGroups(db, rest)) - (await count({ ...rest, end_time: start - 1 }));
}
