// Groups of a filter in the order of a list: as a page, or all of them in portions. SQLite answers synchronously, so
// the event loop is freed between two portions.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ErrlogEntry, Slice } from '@quarterdeck/core';
import type { Database, Dialect, Sql, SqlValue } from '@quarterdeck/core/db';
import { cached, Where } from '@quarterdeck/core/sql';
import { ORDERS, type RowSort, select } from '../tables/columns.ts';
import {
  filterWhere,
  type GroupFilter,
  isTimed,
  levelsOf,
  scopeFilter,
  scopeWhere,
  withoutTime,
} from '../tables/filter.ts';
import { ALL_SOURCES, type SizedScope, scopesOf } from '../tables/totals.ts';

/** Most scopes that one statement merges. */
const SCOPES_MAX = 64;
/** Groups of a portion: a few milliseconds. */
export const PORTION = 1_000;
/** Entries skipped by one statement where the index alone answers: 7 to 120 nanoseconds each. */
const COVERED_PORTION = 20_000;
/** Groups skipped by one statement of PostgreSQL, which does not stop the event loop: 0.2 s at most. */
const POSTGRES_PORTION = 100_000;
/** Groups of a page unless its reader says otherwise. */
const USUAL_LIMIT = 20;

/** Orders that an index has. Counts are ordered by their magnitudes. */
export type IndexedSort = Exclude<RowSort, 'count' | '-count'> | 'magnitude' | '-magnitude';

/** Smaller counts have a magnitude of their own, see `magnitudeOf`. */
export const EXACT_BELOW = 16;

/** The groups of a filter in an order. */
export interface Ordered {
  readonly sort: IndexedSort;
  /** Conditions that exclude one another and together are the filter. Most have an index in the order. */
  readonly runs: readonly Where[];
  /** Index of the runs. SQLite has no statistics and cannot choose it. */
  readonly indexedBy?: string;
  /** Groups skipped by one statement; {@link PORTION} on SQLite unless an index has all columns of the conditions. */
  readonly skipAtOnce?: number;
  /** Number of the groups, where kept numbers have given it on the way. */
  readonly count?: number;
  /** The database merges runs only if each has an order and a limit, see {@link merged}. */
  readonly mergesLimited?: boolean;
  /**
   * Ends of the wanted part of the order, one condition each. Of two conditions on the same side, SQLite may use the
   * weaker one and read everything up to the other.
   */
  readonly low?: Where;
  readonly high?: Where;
}

/**
 * Describes the groups of a filter in an order. `offset` is the number of groups that the
 * reader skips.
 */
export async function inOrder(
  { dialect, read: { sql } }: Database,
  filter: GroupFilter,
  sort: IndexedSort,
  offset = Number.POSITIVE_INFINITY,
): Promise<Ordered> {
  const portion = dialect === 'postgresql' ? { skipAtOnce: POSTGRES_PORTION } : {};
  if (columnOf(sort) !== 'log_time') return { sort, runs: [filterWhere(dialect, filter)], ...portion };
  const { count, ...runs } = await runsOf(sql, dialect, withoutTime(filter), offset);
  return {
    sort,
    ...runs,
    ...portion,
    mergesLimited: dialect === 'postgresql',
    ...(count === undefined || isTimed(filter) ? {} : { count }),
    low: new Where().andIf('e.log_time >= ?', filter.start_time),
    high: new Where().andIf('e.log_time <= ?', filter.end_time),
  };
}

type Runs = Pick<Ordered, 'runs' | 'indexedBy' | 'skipAtOnce' | 'count'>;

async function runsOf(sql: Sql, dialect: Dialect, filter: GroupFilter, offset: number): Promise<Runs> {
  const { state, app_id, service, fingerprint, condition } = filter;
  const whole = { runs: [filterWhere(dialect, filter)] };
  if (fingerprint !== undefined || condition !== undefined) return whole;
  // The index of the rarer states is in the order of time for each state.
  if (state !== undefined && !state.includes('ongoing')) {
    return { runs: state.map((one) => filterWhere(dialect, filter, [one])) };
  }
  if (app_id !== undefined || service !== undefined) return whole;
  const skipAtOnce = state === undefined ? COVERED_PORTION : PORTION;
  const levels = levelsOf(filter);
  const ofNodes = filter.node_type !== undefined || filter.node_id !== undefined;
  const isOneScope = !ofNodes && levels !== undefined && levels.from === levels.to;
  if (isOneScope || (!ofNodes && levels === undefined && filter.src === undefined)) return { ...whole, skipAtOnce };
  const scopes = await scopesOf(sql, scopeFilter(filter));
  const found = { skipAtOnce, ...(state === undefined ? { count: sizeOf(scopes) } : {}) };
  if (await isMergeCheaper(sql, dialect, scopes, offset)) {
    const runs = scopes.map((scope) => scopeWhere(scope).merge(filterWhere(dialect, { state })));
    const ofSources = ofNodes || filter.src !== undefined;
    return withIndex(dialect, { ...found, runs }, ofSources ? 'errlog_src_level_log_time_id_idx' : undefined);
  }
  return withIndex(dialect, { ...found, ...whole }, 'errlog_log_time_id_level_src_idx');
}

const withIndex = (dialect: Dialect, runs: Runs, indexedBy: string | undefined): Runs =>
  dialect === 'sqlite' && indexedBy !== undefined ? { ...runs, indexedBy } : runs;

/**
 * Compares merging scopes with filtering the order of all groups. Each further scope makes an entry of the merge
 * cost more; the filter passes all groups that fail it. PostgreSQL filters sources poorly (decision 029).
 */
async function isMergeCheaper(
  sql: Sql,
  dialect: Dialect,
  scopes: readonly SizedScope[],
  offset: number,
): Promise<boolean> {
  if (scopes.length <= 1 || scopes.length > SCOPES_MAX) return scopes.length === 1;
  if (offset <= PORTION) return true;
  if (dialect === 'postgresql' && scopes.some(({ src }) => src !== ALL_SOURCES)) return true;
  return scopes.length * sizeOf(scopes) <= sizeOf(await scopesOf(sql, scopeFilter({})));
}

const sizeOf = (scopes: readonly SizedScope[]) => scopes.reduce((sum, { n }) => sum + n, 0);

type Column<Sort> = Sort extends `-${string}` ? never : Sort;

/** Returns the column of an order. */
export const columnOf = (sort: RowSort | IndexedSort) =>
  (sort.startsWith('-') ? sort.slice(1) : sort) as Column<RowSort | IndexedSort>;

/** SQL of an order over rows of {@link asQuery}. */
export const orderOf = (sort: IndexedSort) => ORDERS[sort].replaceAll('e.', '');

const directionOf = (sort: IndexedSort) => (sort.startsWith('-') ? 'DESC' : 'ASC');

/**
 * Reads a page. Both databases merge the runs and read no more of each than the page needs. For that the inner query
 * may ask only for columns of the index.
 */
export function pageOf(sql: Sql, ordered: Ordered, { offset, limit }: Slice, detail: number): Promise<ErrlogEntry[]> {
  const order = ORDERS[ordered.sort];
  const [only, ...more] = conditionsOf(ordered);
  const part = partOf(offset, limit);
  // The first pages need no second step: skipping up to a portion of groups is cheap.
  if (only !== undefined && more.length === 0 && offset <= PORTION) {
    const text = `${select(detail, fromOf(ordered))}${only.text} ${order} ${part.text}`;
    return sql.all<ErrlogEntry>(cached(text), ...only.values, ...part.values);
  }
  const { text: all, values } = merged(ordered, `e.id, e.${columnOf(ordered.sort)}`, offset + limit);
  const ids = `${all} ${orderOf(ordered.sort)} ${part.text}`;
  // Ordered by columns of the page: by those of the groups, SQLite would go through an index of all.
  const text = `${select(detail, `(${ids}) p JOIN errlog e ON e.id = p.id`)} ${order.replaceAll('e.', 'p.')}`;
  return sql.all<ErrlogEntry>(cached(text), ...values, ...part.values);
}

/**
 * The part of an order that a page shows. The numbers of the default first page are part of the text: PostgreSQL plans
 * a statement anew for each page where it does not know how few rows are wanted, which takes longer than to run it.
 */
const partOf = (offset: number, limit: number): Query =>
  offset === 0 && limit === USUAL_LIMIT
    ? { text: `LIMIT ${USUAL_LIMIT}`, values: [] }
    : { text: 'LIMIT ? OFFSET ?', values: [limit, offset] };

const conditionsOf = ({ runs, low = new Where(), high = new Where() }: Ordered): Where[] =>
  runs.map((run) => new Where().merge(run).merge(low).merge(high));

const fromOf = ({ indexedBy }: Ordered) => (indexedBy === undefined ? 'errlog e' : `errlog e INDEXED BY ${indexedBy}`);

/** SQL with its values. */
export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Selects columns of `errlog e`, in no order. `narrow` is a further condition. */
export function asQuery(ordered: Ordered, columns: string, narrow: Where = new Where()): Query {
  const conditions = conditionsOf(ordered).map((condition) => condition.merge(narrow));
  return {
    text: conditions.map(({ text }) => `SELECT ${columns} FROM ${fromOf(ordered)}${text}`).join(' UNION ALL '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/**
 * Like {@link asQuery}, for the first `max` rows in the order, which follows the text. PostgreSQL sorts all rows of a
 * plain `UNION ALL`. Runs in an order, with a limit, are merged, and no more of each is read than needed.
 */
export function merged(ordered: Ordered, columns: string, max: number): Query {
  if (ordered.mergesLimited !== true || ordered.runs.length === 1) return asQuery(ordered, columns);
  const part = partOf(0, max);
  const runs = ordered.runs.map((run) => asQuery({ ...ordered, runs: [run] }, columns));
  const texts = runs.map(({ text }) => `(${text} ${ORDERS[ordered.sort]} ${part.text})`);
  return {
    text: `SELECT * FROM (${texts.join(' UNION ALL ')}) runs`,
    values: runs.flatMap(({ values }) => [...values, ...part.values]),
  };
}

/** Reads a page at any depth: skips in portions, from the nearer end. `count` is the number of all groups. */
export async function deepPage(
  sql: Sql,
  ordered: Ordered,
  slice: Slice,
  { count, detail }: { readonly count: number; readonly detail: number },
): Promise<ErrlogEntry[]> {
  if (slice.limit === 0 || slice.offset >= count) return [];
  const limit = Math.min(slice.limit, count - slice.offset);
  const behind = count - slice.offset - limit;
  if (behind >= slice.offset) return skipTo(sql, ordered, { offset: slice.offset, limit }, detail);
  const page = await skipTo(sql, reversed(ordered), { offset: behind, limit }, detail);
  return page.reverse();
}

const reversed = (ordered: Ordered): Ordered => {
  const { sort } = ordered;
  return { ...ordered, sort: (sort.startsWith('-') ? sort.slice(1) : `-${sort}`) as IndexedSort };
};

async function skipTo(sql: Sql, ordered: Ordered, { offset, limit }: Slice, detail: number): Promise<ErrlogEntry[]> {
  const { skipAtOnce: atOnce = PORTION } = ordered;
  let left = offset;
  let last: Place | undefined;
  while (left > atOnce) {
    last = await placeBehind(sql, ordered, last, atOnce - 1);
    if (last === undefined) return [];
    left -= atOnce;
    await yieldToEventLoop();
  }
  return pageOf(sql, behindOf(ordered, last), { offset: left, limit }, detail);
}

/** The place of a group in an order. `at` is its value in the column of the order. */
export interface Place {
  readonly id: number;
  readonly at: number;
}

function placesOf(sql: Sql, ordered: Ordered, { offset, limit }: Slice): Promise<Place[]> {
  const { sort } = ordered;
  const { text, values } = merged(ordered, `e.id, e.${columnOf(sort)} AS at`, offset + limit);
  const order = `ORDER BY at ${directionOf(sort)}, id ${directionOf(sort)}`;
  return sql.all<Place>(cached(`${text} ${order} LIMIT ? OFFSET ?`), ...values, limit, offset);
}

const placeAt = async (sql: Sql, ordered: Ordered, offset: number): Promise<Place | undefined> =>
  (await placesOf(sql, ordered, { offset, limit: 1 }))[0];

/** Returns the first places behind another one, or of the whole order. */
export async function placesBehind(
  sql: Sql,
  ordered: Ordered,
  place: Place | undefined,
  limit: number,
): Promise<Place[]> {
  if (place === undefined) return placesOf(sql, ordered, { offset: 0, limit });
  const tied = await placesOf(sql, tiedBehind(ordered, place), { offset: 0, limit });
  if (tied.length === limit) return tied;
  return [...tied, ...(await placesOf(sql, beyond(ordered, place), { offset: 0, limit: limit - tied.length }))];
}

/** Tells whether there are more than `n` groups. */
export const hasMoreThan = async (sql: Sql, ordered: Ordered, n: number): Promise<boolean> =>
  (await placeAt(sql, ordered, n)) !== undefined;

/** Returns the place of the group `offset` places behind another one. */
async function placeBehind(
  sql: Sql,
  ordered: Ordered,
  place: Place | undefined,
  offset: number,
): Promise<Place | undefined> {
  if (place === undefined) return placeAt(sql, ordered, offset);
  const tied = tiedBehind(ordered, place);
  const found = await placeAt(sql, tied, offset);
  if (found !== undefined) return found;
  return placeAt(sql, beyond(ordered, place), offset - (await countOf(sql, tied)));
}

const tiedBehind = (ordered: Ordered, place: Place): Ordered =>
  tiedWith(ordered, place, new Where().and(`e.id ${ordered.sort.startsWith('-') ? '<' : '>'} ?`, place.id));

/** Narrows an order to the groups behind a place that do not tie with it. */
const beyond = (ordered: Ordered, { at }: Place): Ordered =>
  ordered.sort.startsWith('-')
    ? { ...ordered, high: new Where().and(`e.${columnOf(ordered.sort)} < ?`, at) }
    : { ...ordered, low: new Where().and(`e.${columnOf(ordered.sort)} > ?`, at) };

/** Counts the groups. `narrow` is a further condition. */
export async function countOf(sql: Sql, ordered: Ordered, narrow?: Where): Promise<number> {
  const counts = ordered.runs.map((run) => asQuery({ ...ordered, runs: [run] }, 'count(*)', narrow));
  const text = `SELECT ${counts.map((count) => `(${count.text})`).join(' + ')} AS n`;
  return (await sql.get<{ n: number }>(cached(text), ...counts.flatMap(({ values }) => values)))?.n ?? 0;
}

/**
 * Narrows an order to the groups that tie with one of them. SQLite applies a row value's second part only after
 * reading: among 100,000 groups of the same second it would read all that come before.
 */
const tiedWith = (ordered: Ordered, { at }: Place, ids: Where): Ordered => ({
  ...ordered,
  low: new Where(),
  high: new Where(),
  runs: ordered.runs.map((run) =>
    new Where()
      .merge(run)
      .and(`e.${columnOf(ordered.sort)} = ?`, at)
      .merge(ids),
  ),
});

const bound = (sort: IndexedSort, operator: string, { at, id }: Place): Where =>
  new Where().and(`(e.${columnOf(sort)}, e.id) ${operator} (?, ?)`, at, id);

/** Narrows an order to the groups behind a place; to nothing less without a place. */
function behindOf(ordered: Ordered, place: Place | undefined): Ordered {
  if (place === undefined) return ordered;
  return ordered.sort.startsWith('-')
    ? { ...ordered, high: bound(ordered.sort, '<', place) }
    : { ...ordered, low: bound(ordered.sort, '>', place) };
}

/** Narrows an order to the groups behind a place, up to and including another one. */
function between(ordered: Ordered, place: Place | undefined, last: Place): Ordered {
  const [from, to] = ordered.sort.startsWith('-') ? ['<', '>='] : ['>', '<='];
  if (place?.at === last.at) {
    return tiedWith(ordered, last, new Where().and(`e.id ${from} ?`, place.id).and(`e.id ${to} ?`, last.id));
  }
  return upTo(behindOf(ordered, place), last);
}

/** Narrows an order to the groups up to and including a place. */
const upTo = (ordered: Ordered, last: Place): Ordered =>
  ordered.sort.startsWith('-')
    ? { ...ordered, low: bound(ordered.sort, '>=', last) }
    : { ...ordered, high: bound(ordered.sort, '<=', last) };

/** Describes the first `max` groups of an order as one range, and tells whether there are more. */
export async function firstOf(sql: Sql, ordered: Ordered, max: number): Promise<{ range: Ordered; more: boolean }> {
  const last = await placeAt(sql, ordered, max - 1);
  if (last === undefined) return { range: ordered, more: false };
  return { range: between(ordered, undefined, last), more: (await placeBehind(sql, ordered, last, 0)) !== undefined };
}

/**
 * Yields the first `max` groups of an order in portions. Returns whether there are more. Groups seen again meanwhile
 * may leave a portion that is not read yet.
 */
export async function* portionsOf(
  sql: Sql,
  ordered: Ordered,
  max: number,
): AsyncGenerator<Ordered, boolean, undefined> {
  let before: Place | undefined;
  for (let passed = 0; passed < max; passed += PORTION) {
    const last = await placeBehind(sql, ordered, before, Math.min(PORTION, max - passed) - 1);
    if (last === undefined) {
      yield behindOf(ordered, before);
      return false;
    }
    yield between(ordered, before, last);
    before = last;
    await yieldToEventLoop();
  }
  return (await placeBehind(sql, ordered, before, 0)) !== undefined;
}

/**
 * Yields the first `max` groups of an order that meet a further condition. Returns whether there are more. A portion
 * counts the groups passed, so the event loop is free as often where few of them match.
 */
export async function* portionsWith(
  sql: Sql,
  ordered: Ordered,
  condition: Where,
  max: number,
): AsyncGenerator<Ordered, boolean, undefined> {
  let left = max;
  for await (const { runs, ...portion } of portionsOf(sql, ordered, Number.POSITIVE_INFINITY)) {
    const narrowed: Ordered = { ...portion, runs: runs.map((run) => new Where().merge(run).merge(condition)) };
    const n = await countOf(sql, narrowed);
    if (n > left) {
      const last = left === 0 ? undefined : await placeAt(sql, narrowed, left - 1);
      if (last !== undefined) yield upTo(narrowed, last);
      return true;
    }
    if (n > 0) yield narrowed;
    left -= n;
  }
  return false;
}
