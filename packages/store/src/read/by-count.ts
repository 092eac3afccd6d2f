// Pages in the order of counts. An index on `count` would be written with every repeat; `magnitude` changes rarely.
// So groups are read magnitude by magnitude, in portions, and sorted here. Concurrent callers share one run.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Slice } from '@quarterdeck/core';
import { type Database, type Sql, statement } from '@quarterdeck/core/db';
import { CommitCache, cached, Where } from '@quarterdeck/core/sql';
import { type ErrlogPage, errlogByIds, type ListQuery, ORDERS } from '../tables/columns.ts';
import { filterWhere, type GroupFilter, isEmptyFilter } from '../tables/filter.ts';
import { magnitudeOf } from '../tables/group-state.ts';
import { countGroups } from './count.ts';
import { asQuery, EXACT_BELOW, inOrder as groupsInOrder, type Place, PORTION, portionsOf } from './ordered-scan.ts';

/** Most groups of a filter that are read completely, where that is cheaper than going through the magnitudes. */
const ALL_MAX = 50_000;
/** Entries of the index counted by one statement: a few milliseconds. */
const COUNTED_AT_ONCE = 20_000;
/** Pages cached until the next commit. */
const PAGES_KEPT = 16;

/** The ids of a page, and the number of groups there are. */
interface Page {
  readonly ids: readonly number[];
  readonly count: number;
}

const pages = new CommitCache<Page>(PAGES_KEPT);

/** A page of groups with the most or the fewest occurrences first. */
export async function byCountPage(
  db: Database,
  filter: GroupFilter,
  { slice, sort, detail }: ListQuery,
): Promise<ErrlogPage> {
  const isDescending = sort === '-count';
  const key = JSON.stringify([filter, slice, sort]);
  const { ids, count } = await pages.get(db, key, () => findPage(db, filter, slice, isDescending));
  const data = await errlogByIds(db.read.sql, ids, detail);
  const sign = isDescending ? -1 : 1;
  return { data: data.sort((a, b) => sign * (a.count - b.count || a.id - b.id)), meta: { count } };
}

async function findPage(
  db: Database,
  filter: GroupFilter,
  { offset, limit }: Slice,
  isDescending: boolean,
): Promise<Page> {
  const count = await countGroups(db, filter);
  if (limit === 0 || offset >= count) return { ids: [], count };
  const size = Math.min(limit, count - offset);
  const behind = count - offset - size;
  const near = Math.min(offset, behind);
  const find = (await isAllCheaper(db, filter, (near + size) / count)) ? amongAll : alongMagnitudes;
  if (near === offset) return { ids: idsOf(await find(db, filter, { offset, limit: size }, isDescending)), count };
  const rows = await find(db, filter, { offset: behind, limit: size }, !isDescending);
  return { ids: idsOf(rows).reverse(), count };
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);

/** Tells whether reading all groups of a filter is cheaper than reading a share of the magnitudes. */
async function isAllCheaper(db: Database, filter: GroupFilter, share: number): Promise<boolean> {
  if (isEmptyFilter(filter)) return false;
  // The groups of a filter are assumed to be spread evenly over the magnitudes.
  return (await countGroups(db, filter)) <= Math.min(ALL_MAX, share * (await countGroups(db, {})));
}

/** The groups behind a place, or the first ones. */
interface Behind {
  readonly place: Place | undefined;
  readonly limit: number;
  readonly isDescending: boolean;
}

/** Returns the places of the groups behind one in the order of counts. */
export async function placesByCount(
  db: Database,
  filter: GroupFilter,
  { place, limit, isDescending }: Behind,
): Promise<Place[]> {
  const count = await countGroups(db, filter);
  const find = (await isAllCheaper(db, filter, limit / Math.max(1, count))) ? amongAll : alongMagnitudes;
  const rows = await find(db, filter, { offset: 0, limit }, isDescending, place);
  return rows.map(({ id, count: at }) => ({ id, at }));
}

/** Condition of the groups behind a place. */
const behind = ({ at, id }: Place, isDescending: boolean): Where =>
  new Where().and(`(e.count, e.id) ${isDescending ? '<' : '>'} (?, ?)`, at, id);

/** A group with its place in the order. */
interface Row {
  readonly id: number;
  readonly count: number;
}

/** Groups by count. Sorts no more of them than a page needs. */
class ByCount {
  readonly #ids = new Map<number, number[]>();
  size = 0;

  add(rows: readonly Row[]): void {
    for (const { id, count } of rows) {
      const ids = this.#ids.get(count);
      if (ids === undefined) this.#ids.set(count, [id]);
      else ids.push(id);
    }
    this.size += rows.length;
  }

  page({ offset, limit }: Slice, isDescending: boolean): Row[] {
    const page: Row[] = [];
    let skip = offset;
    for (const count of inOrder([...this.#ids.keys()], isDescending)) {
      const ids = this.#ids.get(count) ?? [];
      if (ids.length > skip) {
        const some = inOrder(ids, isDescending).slice(skip, skip + limit - page.length);
        page.push(...some.map((id) => ({ id, count })));
      }
      skip = Math.max(0, skip - ids.length);
      if (page.length === limit) break;
    }
    return page;
  }
}

const inOrder = (numbers: readonly number[], isDescending: boolean) => {
  const sorted = [...Float64Array.from(numbers).sort()];
  return isDescending ? sorted.reverse() : sorted;
};

async function amongAll(
  db: Database,
  filter: GroupFilter,
  slice: Slice,
  isDescending: boolean,
  place?: Place,
): Promise<Row[]> {
  const { sql } = db.read;
  const narrow = place && behind(place, isDescending);
  const all = new ByCount();
  for await (const portion of portionsOf(sql, await groupsInOrder(db, filter, '-log_time'), Number.POSITIVE_INFINITY)) {
    const { text, values } = asQuery(portion, 'e.id, e.count', narrow);
    all.add(await sql.all<Row>(cached(text), ...values));
  }
  return all.page(slice, isDescending);
}

const HIGHER = statement('SELECT min(magnitude) AS magnitude FROM errlog WHERE magnitude > ?');
const LOWER = statement('SELECT max(magnitude) AS magnitude FROM errlog WHERE magnitude < ?');
/** Greater than any magnitude. */
const BEYOND = 1_000_000;

async function alongMagnitudes(
  db: Database,
  filter: GroupFilter,
  { offset, limit }: Slice,
  isDescending: boolean,
  place?: Place,
): Promise<Row[]> {
  const [next, before, step] = isDescending ? [LOWER, BEYOND, 1] : [HIGHER, -1, -1];
  const rows: Row[] = [];
  let skip = offset;
  for (let at = place === undefined ? before : magnitudeOf(place.at) + step; rows.length < limit; ) {
    const magnitude = (await db.read.sql.get<{ magnitude: number | null }>(next, at))?.magnitude ?? null;
    if (magnitude === null) break;
    const found = await ofMagnitude(db, filter, {
      at: magnitude,
      isDescending,
      skip,
      limit: limit - rows.length,
      place,
    });
    rows.push(...found.rows);
    skip -= found.skipped;
    at = magnitude;
  }
  return rows;
}

/** The part of one magnitude that a page needs. */
interface Stretch {
  readonly at: number;
  readonly isDescending: boolean;
  readonly skip: number;
  readonly limit: number;
  /** Only groups behind it. */
  readonly place: Place | undefined;
}

interface Found {
  readonly rows: readonly Row[];
  /** Number of the skipped groups. */
  readonly skipped: number;
}

async function ofMagnitude(db: Database, filter: GroupFilter, stretch: Stretch): Promise<Found> {
  if (!isEmptyFilter(filter)) return rowsOf(db, filter, stretch);
  if (stretch.at < EXACT_BELOW) return entriesOf(db.read.sql, stretch);
  if (stretch.skip === 0) return rowsOf(db, filter, stretch);
  const { skipped } = await entriesOf(db.read.sql, { ...stretch, limit: 0 });
  return skipped < stretch.skip ? { rows: [], skipped } : rowsOf(db, filter, stretch);
}

const inRange = (isDescending: boolean) =>
  cached(`SELECT id FROM errlog WHERE magnitude = ? AND id >= ? AND id <= ?
    ORDER BY id ${isDescending ? 'DESC' : 'ASC'} LIMIT ? OFFSET ?`);

/** Groups of a magnitude by id, from the index alone. */
async function entriesOf(sql: Sql, { at, isDescending, skip, limit, place }: Stretch): Promise<Found> {
  const rows: Row[] = [];
  let left = skip;
  for await (const { low, high, n } of rangesOf(sql, { at, isDescending, place }, COUNTED_AT_ONCE)) {
    if (n > left) {
      const wanted = limit - rows.length;
      const entries = await sql.all<{ id: number }>(inRange(isDescending), at, low, high, wanted, left);
      rows.push(...entries.map(({ id }) => ({ id, count: at })));
      left = 0;
    } else {
      left -= n;
    }
    if (left === 0 && rows.length >= limit) break;
  }
  return { rows, skipped: skip - left };
}

/** Groups of a magnitude and a filter by count, then by id. */
async function rowsOf({ dialect, read: { sql } }: Database, filter: GroupFilter, stretch: Stretch): Promise<Found> {
  const { at, isDescending, skip, limit, place } = stretch;
  const from = dialect === 'sqlite' ? 'errlog e INDEXED BY errlog_magnitude_id_idx' : 'errlog e';
  const order = ORDERS[isDescending ? '-count' : 'count'];
  const found = new ByCount();
  for await (const { low, high } of rangesOf(sql, stretch, PORTION)) {
    const where = new Where()
      .and('e.magnitude = ?', at)
      .and('e.id >= ?', low)
      .and('e.id <= ?', high)
      .merge(filterWhere(dialect, filter))
      .merge(place === undefined ? new Where() : behind(place, isDescending));
    // The groups of the page are among the first of each portion.
    const text = `SELECT e.id, e.count FROM ${from}${where.text} ${order} LIMIT ?`;
    found.add(await sql.all<Row>(cached(text), ...where.values, skip + limit));
    if (at < EXACT_BELOW && found.size >= skip + limit) break;
  }
  if (found.size <= skip) return { rows: [], skipped: found.size };
  return { rows: found.page({ offset: skip, limit }, isDescending), skipped: skip };
}

/** A range of ids, both ends included, and the number of groups of a magnitude in it. */
interface Range {
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

const NEXT_RANGE = (isDescending: boolean) => {
  const [beyond, order] = isDescending ? ['<', 'DESC'] : ['>', 'ASC'];
  return statement(`SELECT min(id) AS low, max(id) AS high, count(*) AS n FROM
    (SELECT id FROM errlog WHERE magnitude = ? AND id ${beyond} ? ORDER BY id ${order} LIMIT ?) entries`);
};
const RANGE_BELOW = NEXT_RANGE(true);
const RANGE_ABOVE = NEXT_RANGE(false);

/** All groups of a magnitude in ranges of `atOnce`. The event loop is free between two of them. */
async function* rangesOf(
  sql: Sql,
  { at, isDescending, place }: Pick<Stretch, 'at' | 'isDescending' | 'place'>,
  atOnce: number,
): AsyncGenerator<Range, void, undefined> {
  // A small count is the magnitude itself, so ids alone decide.
  const isTied = place !== undefined && place.at === at && at < EXACT_BELOW;
  const first = isDescending ? Number.MAX_SAFE_INTEGER : 0;
  let last = isTied ? place.id : first;
  for (;;) {
    const range = await sql.get<Range>(isDescending ? RANGE_BELOW : RANGE_ABOVE, at, last, atOnce);
    if (range === undefined || range.n === 0) return;
    yield range;
    if (range.n < atOnce) return;
    last = isDescending ? range.low : range.high;
    await yieldToEventLoop();
  }
}
