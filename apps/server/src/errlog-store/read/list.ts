// Reads of the error log. Every filter and order has an index; counts and deep pages come from what is kept.
import type { Database, Sql } from '@quarterdeck/core/db';
import { Where } from '../../sql/where.ts';
import { type ErrlogPage, type ListQuery, toDetail } from '../tables/columns.ts';
import { isScoped, scopeFilter, scopeWhere } from '../tables/filter.ts';
import { locate } from '../tables/seek.ts';
import { type SizedScope, scopesOf } from '../tables/time-buckets.ts';
import { byCountPage } from './by-count.ts';
import { countGroups, spanOf } from './count.ts';
import { deepPage, type IndexedSort, inOrder, pageOf, SCOPES_MAX } from './ordered-scan.ts';
import { rollupPage } from './rollup.ts';
import { searchPage } from './search.ts';

/** Up to here, skipping rows of the index is cheaper than asking where they are. */
const SKIP_MAX = 500;

/** A page of groups, and how many there are. */
export async function listErrlog(db: Database, query: ListQuery): Promise<ErrlogPage> {
  if (query.rollup) return rollupPage(db, query);
  if (query.filter.q !== undefined) return searchPage(db, query, query.filter.q);
  if (query.sort === 'count' || query.sort === '-count') return byCountPage(db, query);
  const { data, meta } = await orderedPage(db, query, query.sort);
  return { data: query.detail === 1 ? data.map(toDetail) : data, meta };
}

async function orderedPage(db: Database, query: ListQuery, sort: IndexedSort): Promise<ErrlogPage> {
  const { sql } = db.read;
  const { filter } = query;
  if (sort !== '-log_time' || !isScoped(filter)) return filteredPage(db, query, sort);
  const scopes = await scopesOf(sql, scopeFilter(filter));
  return scopes.length > SCOPES_MAX ? filteredPage(db, query, sort) : scopedPage(sql, query, scopes);
}

async function scopedPage(
  sql: Sql,
  { filter, slice, detail }: ListQuery,
  scopes: readonly SizedScope[],
): Promise<ErrlogPage> {
  // A span of time is a stretch of the order of all.
  const { total, first, count } = await spanOf(sql, scopes, filter);
  const { start_time, end_time } = filter;
  const { offset, limit } = slice;
  if (limit === 0 || offset >= count) return { data: [], meta: { count } };

  const runs = scopes.map(scopeWhere);
  const low = new Where().andIf('e.log_time >= ?', start_time);
  const page = async (high: Where, skip: number): Promise<ErrlogPage> => {
    const ordered = { sort: '-log_time', runs, low, high } as const;
    return { data: await pageOf(sql, ordered, { offset: skip, limit }, detail), meta: { count } };
  };
  if (offset <= SKIP_MAX) return page(new Where().andIf('e.log_time <= ?', end_time), offset);
  const place = await locate(sql, scopes, first + offset, total);
  if (place === undefined) return { data: [], meta: { count } };
  return page(new Where().andIf('e.log_time < ?', place.beforeTime), place.skip);
}

async function filteredPage(
  db: Database,
  { filter, slice, detail }: ListQuery,
  sort: IndexedSort,
): Promise<ErrlogPage> {
  const { sql } = db.read;
  const count = await countGroups(db, filter);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const data = await deepPage(sql, await inOrder(db, filter, sort), slice, { count, detail });
  return { data, meta: { count } };
}
