// How many groups a filter has: kept, by time between two kept numbers, or else counted.
import type { ErrlogFilter } from '@quarterdeck/core';
import type { Database, Sql, SqlValue } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import { filterWhere, isCounted, isScoped, scopeFilter, totalWhere } from '../tables/filter.ts';
import { newerThan } from '../tables/seek.ts';
import { type SizedScope, scopesOf } from '../tables/time-buckets.ts';
import { SCOPES_MAX } from './ordered-scan.ts';

/** How many groups a filter without text search matches. */
export async function countGroups({ dialect, read: { sql } }: Database, filter: ErrlogFilter): Promise<number> {
  if (isCounted(filter)) {
    const kept = totalWhere(filter);
    return sumOf(sql, `SELECT CAST(coalesce(sum(t.n), 0) AS bigint) AS n FROM errlog_total t${kept.text}`, kept.values);
  }
  if (isScoped(filter)) {
    const scopes = await scopesOf(sql, scopeFilter(filter));
    if (scopes.length <= SCOPES_MAX) return (await spanOf(sql, scopes, filter)).count;
  }
  const where = filterWhere(dialect, filter);
  return sumOf(sql, `SELECT count(*) AS n FROM errlog e${where.text}`, where.values);
}

const sumOf = async (sql: Sql, text: string, values: readonly SqlValue[]): Promise<number> =>
  (await sql.get<{ n: number }>(cached(text), ...values))?.n ?? 0;

/** A span of time in the order of all groups of some scopes, the newest first. */
export interface Span {
  /** All groups of the scopes. */
  readonly total: number;
  /** Groups that are newer than the span. */
  readonly first: number;
  /** Groups of the span. */
  readonly count: number;
}

/** Where the time of a filter is in the order of its scopes. */
export async function spanOf(
  sql: Sql,
  scopes: readonly SizedScope[],
  { start_time, end_time }: ErrlogFilter,
): Promise<Span> {
  const total = scopes.reduce((sum, { n }) => sum + n, 0);
  const first = end_time === undefined ? 0 : await newerThan(sql, scopes, end_time);
  const end = start_time === undefined ? total : await newerThan(sql, scopes, start_time - 1);
  return { total, first, count: Math.max(0, end - first) };
}
