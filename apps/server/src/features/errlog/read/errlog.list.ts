// Reads of the error log. Every filter and order has an index; counts and deep pages come from what is kept.
import type { ErrlogEntry, ErrlogFilter, ErrlogSort, Slice } from '@quarterdeck/core';
import type { Database, Sql, SqlValue } from '@quarterdeck/core/db';
import { cached, countGroups, filterWhere, isScoped, isTimed, scopeFilter, Where } from './errlog.filter.ts';
import { ANY, locate, type Scope, scopesOf } from './errlog.rank.ts';
import { rollupPage } from './errlog.rollup.ts';
import { type ErrlogPage, type ListQuery, ORDERS, select, toDetail } from './errlog.rows.ts';
import { searchPage } from './errlog.search.ts';

/** Beyond this many scopes a page is found by scanning the order with the filter. */
const SCOPES_MAX = 64;
/** Up to here, skipping rows of the index is cheaper than asking where they are. */
const SKIP_MAX = 500;

/** A page of groups, and how many there are. */
export async function listErrlog(db: Database, query: ListQuery): Promise<ErrlogPage> {
  const { sql } = db.read;
  if (query.rollup) return rollupPage(db, query);
  if (query.filter.q !== undefined) return searchPage(db, query, query.filter.q);
  const { data, meta } = await orderedPage(sql, query);
  return { data: query.detail === 1 ? data.map(toDetail) : data, meta };
}

function orderedPage(sql: Sql, query: ListQuery): Promise<ErrlogPage> {
  if (query.sort === 'count' || query.sort === '-count') return byCount(sql, query, query.sort === '-count');
  return query.sort === '-log_time' && isScoped(query.filter) ? scopedPage(sql, query) : filteredPage(sql, query);
}

async function scopedPage(sql: Sql, query: ListQuery): Promise<ErrlogPage> {
  const { filter, slice, detail } = query;
  const scopes = await scopesOf(sql, scopeFilter(filter));
  if (scopes.length > SCOPES_MAX) return filteredPage(sql, query);
  if (scopes.length === 0) return { data: [], meta: { count: 0 } };
  const count = isTimed(filter) ? await countGroups(sql, filter) : scopes.reduce((sum, scope) => sum + scope.n, 0);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };

  let { offset } = slice;
  let before: number | undefined;
  if (offset > SKIP_MAX && !isTimed(filter)) {
    const place = await locate(sql, scopes, offset, count);
    if (place === undefined) return { data: [], meta: { count } };
    before = place.beforeTime;
    offset = place.skip;
  }
  const wheres = scopes.map((scope) => scopeWhere(scope, filter, before));
  return { data: await merged(sql, wheres, '-log_time', { offset, limit: slice.limit }, detail), meta: { count } };
}

function scopeWhere({ src, level }: Scope, filter: ErrlogFilter, before: number | undefined): Where {
  return new Where()
    .and('e.src = ?', src === ANY ? undefined : src)
    .and('e.level = ?', level === ANY ? undefined : level)
    .and('e.log_time < ?', before)
    .and('e.log_time >= ?', filter.start_time)
    .and('e.log_time <= ?', filter.end_time);
}

/**
 * Rows of several conditions that exclude one another, each with an index in the order. Both databases merge such runs
 * and read no more of each than the page needs, as long as every column is in the index.
 */
function merged(sql: Sql, wheres: readonly Where[], sort: ErrlogSort, { offset, limit }: Slice, detail: number) {
  const order = ORDERS[sort];
  const [only] = wheres;
  if (wheres.length === 1 && only !== undefined) {
    const text = `${select(detail)}${only.text} ${order} LIMIT ? OFFSET ?`;
    return sql.all<ErrlogEntry>(cached(text), ...only.values, limit, offset);
  }
  const runs = wheres.map(({ text }) => `SELECT e.id, e.${sort.replace('-', '')} FROM errlog e${text}`);
  const ids = `${runs.join(' UNION ALL ')} ${order.replaceAll('e.', '')} LIMIT ? OFFSET ?`;
  const text = `${select(detail, `(${ids}) p JOIN errlog e ON e.id = p.id`)} ${order}`;
  return sql.all<ErrlogEntry>(cached(text), ...wheres.flatMap(({ values }) => values), limit, offset);
}

async function filteredPage(sql: Sql, { filter, sort, slice, detail }: ListQuery): Promise<ErrlogPage> {
  const count = await countGroups(sql, filter);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  // The index of the rarer states is in the order of time state by state.
  const states = filter.state;
  const byState = states !== undefined && states.length > 1 && !states.includes('ongoing');
  const wheres = byState ? states.map((state) => filterWhere(filter, [state])) : [filterWhere(filter)];
  const data = await merged(sql, wheres, sort, slice, detail);
  return { data, meta: { count } };
}

/** Counts below this have a magnitude of their own, see `magnitudeOf`. */
const EXACT_BELOW = 16;

/**
 * A page in the order of counts. An index on `count` would be written with every repeat; `magnitude` changes rarely. So
 * the groups of one magnitude after the other are put in order.
 */
async function byCount(sql: Sql, { filter, slice, detail }: ListQuery, descending: boolean): Promise<ErrlogPage> {
  const count = await countGroups(sql, filter);
  const data: ErrlogEntry[] = [];
  if (slice.limit === 0 || slice.offset >= count) return { data, meta: { count } };
  const [beyond, towards, direction] = descending ? ['<', 'max', 'DESC'] : ['>', 'min', 'ASC'];
  const next = cached(`SELECT ${towards}(magnitude) AS magnitude FROM errlog WHERE magnitude ${beyond} ?`);
  let skip = slice.offset;
  let at: number | null = descending ? 1_000_000 : -1;
  while (data.length < slice.limit) {
    at = (await sql.get<{ magnitude: number | null }>(next, at))?.magnitude ?? null;
    if (at === null) break;
    const where = filterWhere(filter).and('e.magnitude = ?', at);
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
