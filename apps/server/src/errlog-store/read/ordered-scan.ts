// Groups of a filter in the order of a list: as a page, or all of them in portions that keep nobody waiting. SQLite answers
// at once, so that whoever reads many groups gives the others a turn between two portions.
import { setImmediate as nextRound } from 'node:timers/promises';
import type { ErrlogEntry, ErrlogFilter, ErrlogSort, Slice } from '@quarterdeck/core';
import type { Database, Dialect, Sql, SqlValue } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import { Where } from '../../sql/where.ts';
import { ORDERS, select } from '../tables/columns.ts';
import { filterWhere, levelsOf, scopeFilter, scopeWhere, withoutTime } from '../tables/filter.ts';
import { ALL_SOURCES, type SizedScope, scopesOf } from '../tables/totals.ts';

/** Most scopes that one statement merges. */
const SCOPES_MAX = 64;
/** Groups of a portion: a few milliseconds. */
export const PORTION = 1_000;
/** Entries skipped by one statement where the index alone answers: 7 to 120 nanoseconds each. */
const COVERED_PORTION = 20_000;

/** Orders that an index is in. Counts go with their magnitudes; those below {@link EXACT_BELOW} each have one of their own. */
export type IndexedSort = Exclude<ErrlogSort, 'count' | '-count'> | 'magnitude' | '-magnitude';

/** Counts below this have a magnitude of their own, see `magnitudeOf`. */
export const EXACT_BELOW = 16;

/** The groups of a filter in an order. */
export interface Ordered {
  readonly sort: IndexedSort;
  /** Conditions that exclude one another and together are the filter. Each has an index in the order, where there is one. */
  readonly runs: readonly Where[];
  /** The index of the runs, where SQLite has to be told: it knows nothing of how many groups a level or a source has. */
  readonly indexedBy?: string;
  /** An index has all columns of the conditions: no group is read to be skipped. */
  readonly isCovered?: boolean;
  /**
   * Where the stretch of the order begins and ends that is meant: one condition each. Of two that bound the same side
   * SQLite would use either, and read everything up to the other.
   */
  readonly low?: Where;
  readonly high?: Where;
}

/** The groups of a filter, without its text search, in an order. */
export async function inOrder(
  { dialect, read: { sql } }: Database,
  filter: ErrlogFilter,
  sort: IndexedSort,
): Promise<Ordered> {
  if (columnOf(sort) !== 'log_time') return { sort, runs: [filterWhere(dialect, filter)] };
  return {
    sort,
    ...(await runsOf(sql, dialect, withoutTime(filter))),
    low: new Where().andIf('e.log_time >= ?', filter.start_time),
    high: new Where().andIf('e.log_time <= ?', filter.end_time),
  };
}

type Runs = Pick<Ordered, 'runs' | 'indexedBy' | 'isCovered'>;

async function runsOf(sql: Sql, dialect: Dialect, filter: ErrlogFilter): Promise<Runs> {
  const { state, app_id, req_id, fingerprint } = filter;
  const whole = { runs: [filterWhere(dialect, filter)] };
  if (req_id !== undefined || fingerprint !== undefined) return whole;
  // The index of the rarer states is in the order of time state by state.
  if (state !== undefined && !state.includes('ongoing')) {
    return { runs: state.map((one) => filterWhere(dialect, filter, [one])) };
  }
  if (app_id !== undefined) return whole;
  const isCovered = state === undefined;
  const ofSources = [filter.src, filter.node_type, filter.node_id].some((value) => value !== undefined);
  if (!ofSources && levelsOf(filter) === undefined) return { ...whole, isCovered };
  const scopes = await scopesOf(sql, scopeFilter(filter));
  if (await isMergeCheaper(sql, dialect, scopes)) {
    const runs = scopes.map((scope) => scopeWhere(scope).merge(filterWhere(dialect, { state })));
    return withIndex(dialect, { runs, isCovered }, ofSources ? 'errlog_src_level_log_time_id_idx' : undefined);
  }
  return withIndex(dialect, { ...whole, isCovered }, 'errlog_log_time_id_level_src_idx');
}

const withIndex = (dialect: Dialect, runs: Runs, indexedBy: string | undefined): Runs =>
  dialect === 'sqlite' && indexedBy !== undefined ? { ...runs, indexedBy } : runs;

/**
 * Compares merging scopes with filtering the order of all groups. Each further scope makes an entry of the merge dearer;
 * the filter passes all groups that it leaves out. PostgreSQL filters sources poorly (decision 029).
 */
async function isMergeCheaper(sql: Sql, dialect: Dialect, scopes: readonly SizedScope[]): Promise<boolean> {
  if (scopes.length <= 1 || scopes.length > SCOPES_MAX) return scopes.length === 1;
  if (dialect === 'postgresql' && scopes.some(({ src }) => src !== ALL_SOURCES)) return true;
  return scopes.length * sizeOf(scopes) <= sizeOf(await scopesOf(sql, scopeFilter({})));
}

const sizeOf = (scopes: readonly SizedScope[]) => scopes.reduce((sum, { n }) => sum + n, 0);

type Column<Sort> = Sort extends `-${string}` ? never : Sort;

/** The column of an order. */
export const columnOf = (sort: ErrlogSort | IndexedSort) =>
  (sort.startsWith('-') ? sort.slice(1) : sort) as Column<ErrlogSort | IndexedSort>;

/** An order of rows that {@link asQuery} gives, by their own columns. */
export const orderOf = (sort: IndexedSort) => ORDERS[sort].replaceAll('e.', '');

const directionOf = (sort: IndexedSort) => (sort.startsWith('-') ? 'DESC' : 'ASC');

/**
 * A page. Both databases merge the runs and read no more of each than the page needs, as long as every column that is
 * asked for is in the index.
 */
export function pageOf(sql: Sql, ordered: Ordered, { offset, limit }: Slice, detail: number): Promise<ErrlogEntry[]> {
  const order = ORDERS[ordered.sort];
  const [only, ...more] = conditionsOf(ordered);
  // Up to a portion, groups are read with their index and skipped: one step less for the first pages.
  if (only !== undefined && more.length === 0 && ordered.indexedBy === undefined && offset <= PORTION) {
    const text = `${select(detail)}${only.text} ${order} LIMIT ? OFFSET ?`;
    return sql.all<ErrlogEntry>(cached(text), ...only.values, limit, offset);
  }
  const { text: all, values } = asQuery(ordered, `e.id, e.${columnOf(ordered.sort)}`);
  const ids = `${all} ${orderOf(ordered.sort)} LIMIT ? OFFSET ?`;
  // By the columns of the page: for those of the groups SQLite would go through an index of all.
  const text = `${select(detail, `(${ids}) p JOIN errlog e ON e.id = p.id`)} ${order.replaceAll('e.', 'p.')}`;
  return sql.all<ErrlogEntry>(cached(text), ...values, limit, offset);
}

const conditionsOf = ({ runs, low = new Where(), high = new Where() }: Ordered): Where[] =>
  runs.map((run) => new Where().merge(run).merge(low).merge(high));

/** SQL with its values. */
export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Some columns of `errlog e` of groups, in no order; `narrow` is a condition besides. */
export function asQuery(ordered: Ordered, columns: string, narrow: Where = new Where()): Query {
  const conditions = conditionsOf(ordered).map((condition) => condition.merge(narrow));
  const from = ordered.indexedBy === undefined ? 'errlog e' : `errlog e INDEXED BY ${ordered.indexedBy}`;
  return {
    text: conditions.map(({ text }) => `SELECT ${columns} FROM ${from}${text}`).join(' UNION ALL '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/**
 * A page where no count is kept that would say where it is: skips in portions, from the nearer end. `count` is how many
 * groups there are.
 */
export async function deepPage(
  sql: Sql,
  ordered: Ordered,
  slice: Slice,
  { count, detail }: { readonly count: number; readonly detail: number },
): Promise<ErrlogEntry[]> {
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
  const atOnce = ordered.isCovered === true ? COVERED_PORTION : PORTION;
  let left = offset;
  let last: Place | undefined;
  while (left > atOnce) {
    last = await placeBehind(sql, ordered, last, atOnce - 1);
    if (last === undefined) return [];
    left -= atOnce;
    await nextRound();
  }
  return pageOf(sql, behindOf(ordered, last), { offset: left, limit }, detail);
}

/** Where a group is in an order. */
interface Place {
  readonly id: number;
  readonly at: number;
}

async function placeAt(sql: Sql, ordered: Ordered, offset: number): Promise<Place | undefined> {
  const { sort } = ordered;
  const { text, values } = asQuery(ordered, `e.id, e.${columnOf(sort)} AS at`);
  const order = `ORDER BY at ${directionOf(sort)}, id ${directionOf(sort)}`;
  return sql.get<Place>(cached(`${text} ${order} LIMIT 1 OFFSET ?`), ...values, offset);
}

/** Whether there are more than so many groups. */
export const hasMoreThan = async (sql: Sql, ordered: Ordered, n: number): Promise<boolean> =>
  (await placeAt(sql, ordered, n)) !== undefined;

/** The same from a group on, which is not among them. */
async function placeBehind(
  sql: Sql,
  ordered: Ordered,
  place: Place | undefined,
  offset: number,
): Promise<Place | undefined> {
  if (place === undefined) return placeAt(sql, ordered, offset);
  const { sort } = ordered;
  const tied = tiedWith(ordered, place, new Where().and(`e.id ${sort.startsWith('-') ? '<' : '>'} ?`, place.id));
  const found = await placeAt(sql, tied, offset);
  if (found !== undefined) return found;
  const left = await countOf(sql, tied);
  const beyond = sort.startsWith('-')
    ? { ...ordered, high: new Where().and(`e.${columnOf(sort)} < ?`, place.at) }
    : { ...ordered, low: new Where().and(`e.${columnOf(sort)} > ?`, place.at) };
  return placeAt(sql, beyond, offset - left);
}

/** Number of the groups. */
export async function countOf(sql: Sql, ordered: Ordered): Promise<number> {
  const counts = ordered.runs.map((run) => asQuery({ ...ordered, runs: [run] }, 'count(*)'));
  const text = `SELECT ${counts.map((count) => `(${count.text})`).join(' + ')} AS n`;
  return (await sql.get<{ n: number }>(cached(text), ...counts.flatMap(({ values }) => values)))?.n ?? 0;
}

/**
 * The groups at the same point of an order as one of them. Of what a row value says of the id SQLite knows only afterwards:
 * among a hundred thousand of the same second, or with the same count, it would look through all that came before.
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

/** What comes behind a group; all where there is none. */
function behindOf(ordered: Ordered, place: Place | undefined): Ordered {
  if (place === undefined) return ordered;
  return ordered.sort.startsWith('-')
    ? { ...ordered, high: bound(ordered.sort, '<', place) }
    : { ...ordered, low: bound(ordered.sort, '>', place) };
}

/** What comes behind a group, as far as another one, which is among it. */
function between(ordered: Ordered, place: Place | undefined, last: Place): Ordered {
  const [from, to] = ordered.sort.startsWith('-') ? ['<', '>='] : ['>', '<='];
  if (place?.at === last.at) {
    return tiedWith(ordered, last, new Where().and(`e.id ${from} ?`, place.id).and(`e.id ${to} ?`, last.id));
  }
  return upTo(behindOf(ordered, place), last);
}

/** What comes before a group, and that one. */
const upTo = (ordered: Ordered, last: Place): Ordered =>
  ordered.sort.startsWith('-')
    ? { ...ordered, low: bound(ordered.sort, '>=', last) }
    : { ...ordered, high: bound(ordered.sort, '<=', last) };

/** The first `max` groups of an order as a range of it, and whether there are more: for what reads an index alone. */
export async function firstOf(sql: Sql, ordered: Ordered, max: number): Promise<{ range: Ordered; more: boolean }> {
  const last = await placeAt(sql, ordered, max - 1);
  if (last === undefined) return { range: ordered, more: false };
  return { range: between(ordered, undefined, last), more: (await placeBehind(sql, ordered, last, 0)) !== undefined };
}

/**
 * The first `max` groups of an order in portions; returns whether there are more. What happens meanwhile may take a group
 * from a portion that is not read yet.
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
    await nextRound();
  }
  return (await placeBehind(sql, ordered, before, 0)) !== undefined;
}

/**
 * The first `max` groups of an order that meet a condition besides, for which they have to be read; returns whether there are
 * more. A portion is of those that are passed: where few meet the condition, others have their turn as often.
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
