// Reads of the error log. Every filter and order has an index; counts and deep pages come from what is kept.
import type { ErrlogEntry } from '@quarterdeck/core';
import type { Database, Sql } from '@quarterdeck/core/db';
import { cached } from '../../../sql/cached.ts';
import { Where } from '../../../sql/where.ts';
import { countGroups, filterWhere, isScoped, scopeFilter, scopeWhere } from './errlog.filter.ts';
import { deepPage, EXACT_BELOW, type IndexedSort, inOrder, pageOf, SCOPES_MAX } from './errlog.order.ts';
import { locate, newerThan } from './errlog.place.ts';
import { type SizedScope, scopesOf } from './errlog.rank.ts';
import { rollupPage } from './errlog.rollup.ts';
import { type ErrlogPage, type ListQuery, select, toDetail } from './errlog.rows.ts';
import { searchPage } from './errlog.search.ts';

/** Up to here, skipping rows of the index is cheaper than asking where they are. */
const SKIP_MAX = 500;

/** A page of groups, and how many there are. */
export async function listErrlog(db: Database, query: ListQuery): Promise<ErrlogPage> {
  if (query.rollup) return rollupPage(db, query);
  if (query.filter.q !== undefined) return searchPage(db, query, query.filter.q);
  const { data, meta } = await orderedPage(db, query);
  return { data: query.detail === 1 ? data.map(toDetail) : data, meta };
}

async function orderedPage(db: Database, query: ListQuery): Promise<ErrlogPage> {
  const { sql } = db.read;
  const { filter, sort } = query;
  if (sort === 'count' || sort === '-count') return byCount(db, query, sort === '-count');
  if (sort !== '-log_time' || !isScoped(filter)) return filteredPage(db, query, sort);
  const scopes = await scopesOf(sql, scopeFilter(filter));
  return scopes.length > SCOPES_MAX ? filteredPage(db, query, sort) : scopedPage(sql, query, scopes);
}

async function scopedPage(
  sql: Sql,
  { filter: { start_time, end_time }, slice, detail }: ListQuery,
  scopes: readonly SizedScope[],
): Promise<ErrlogPage> {
  const total = scopes.reduce((sum, scope) => sum + scope.n, 0);
  // A span of time is a stretch of the order of all.
  const first = end_time === undefined ? 0 : await newerThan(sql, scopes, end_time);
  const end = start_time === undefined ? total : await newerThan(sql, scopes, start_time - 1);
  const count = Math.max(0, end - first);
  const { offset, limit } = slice;
  if (limit === 0 || offset >= count) return { data: [], meta: { count } };

  const runs = scopes.map(scopeWhere);
  const low = new Where().and('e.log_time >= ?', start_time);
  const page = async (high: Where, skip: number): Promise<ErrlogPage> => {
    const ordered = { sort: '-log_time', runs, low, high } as const;
    return { data: await pageOf(sql, ordered, { offset: skip, limit }, detail), meta: { count } };
  };
  if (offset <= SKIP_MAX) return page(new Where().and('e.log_time <= ?', end_time), offset);
  const place = await locate(sql, scopes, first + offset, total);
  if (place === undefined) return { data: [], meta: { count } };
  return page(new Where().and('e.log_time < ?', place.beforeTime), place.skip);
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

/**
 * A page in the order of counts. An index on `count` would be written with every repeat; `magnitude` changes rarely. So
 * the groups of one magnitude after the other are put in order.
 */
async function byCount(db: Database, { filter, slice, detail }: ListQuery, descending: boolean): Promise<ErrlogPage> {
  const { sql } = db.read;
  const count = await countGroups(db, filter);
  const data: ErrlogEntry[] = [];
  if (slice.limit === 0 || slice.offset >= count) return { data, meta: { count } };
  const [beyond, towards, direction] = descending ? ['<', 'max', 'DESC'] : ['>', 'min', 'ASC'];
  const next = cached(`SELECT ${towards}(magnitude) AS magnitude FROM errlog WHERE magnitude ${beyond} ?`);
  let skip = slice.offset;
  let at: number | null = descending ? 1_000_000 : -1;
  while (data.length < slice.limit) {
    at = (await sql.get<{ magnitude: number | null }>(next, at))?.magnitude ?? null;
    if (at === null) break;
    const where = filterWhere(db.dialect, filter).and('e.magnitude = ?', at);
    if (skip > 0) {
      const sized = cached(`SELECT count(*) AS n FROM errlog e${where.text}`);
      const n = (await sql.get<{ n: number }>(sized, ...where.values))?.n ?? 0;
      if (n <= skip) {
        skip -= n;
        continue;
      }
    }
    const order = `ORDER BY ${at < EXACT_BELOW ? '' : `e.count ${direction}, `}e.id ${direction}`;
    const text = `${select(detail)}${where.text} ${order} LIMIT ? OFFSET ?`;
    data.push(...(await sql.all<ErrlogEntry>(cached(text), ...where.values, slice.limit - data.length, skip)));
    skip = 0;
  }
  return { data, meta: { count } };
}
