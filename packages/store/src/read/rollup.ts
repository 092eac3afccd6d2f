// Roll-up: an error on forty nodes as one entry with forty sources.
import type { ErrlogEntry, ErrlogSort, Slice } from '@quarterdeck/core';
import type { Database, Dialect, Sql } from '@quarterdeck/core/db';
import { invalidField } from '@quarterdeck/core/plain';
import { cached, inJson, Where } from '@quarterdeck/core/sql';
import { type ErrlogPage, errlogByIds, type ListQuery } from '../tables/columns.ts';
import { type GroupFilter, isEmptyFilter, isTimed, levelsOf } from '../tables/filter.ts';
import { errorCondition, errorOf } from '../tables/fingerprint-index.ts';
import { ANY_SOURCE } from '../tables/totals.ts';
import type { GroupReader } from './line-search.ts';
import { newestGroups } from './newest-groups.ts';
import { asQuery, countOf, inOrder, orderOf, PORTION, portionsOf } from './ordered-scan.ts';
import { withErrorSpan } from './rollup-span.ts';
import type { Selection } from './selection.ts';
import { seenBy } from './source-access.ts';

/** Orders of errors: by the newest group, or by the sum of the counts. */
const SORTS: ReadonlySet<string> = new Set<ErrlogSort>(['-log_time', '-count', 'count']);

/**
 * Most groups read for the order of counts: an overview asks for it every few seconds. Frequent errors are among the
 * newest groups.
 */
const COUNTED_MAX = 20_000;

/** Most groups read for one page, from the nearer end if the number of errors is kept. */
const LOOK_MAX = 100_000;

/** Sums over the groups of an error. */
interface Sum {
  readonly sources: number;
  readonly count: number;
  readonly first_seen: number;
}

/** Returns the sums of the errors of some groups, by the id of the group. */
async function sumsOf({ db, access }: GroupReader, json: string): Promise<Map<number, Sum>> {
  const { dialect, read } = db;
  const seen = seenBy(access, 'e');
  const text = `SELECT p.id, count(*) AS sources, CAST(sum(e.count) AS bigint) AS count, min(e.first_seen) AS first_seen
    FROM errlog p JOIN errlog e ON ${errorCondition(dialect, 'e', errorOf('p'))}
    WHERE ${inJson(dialect, 'p.id')} AND ${seen.text} GROUP BY p.id`;
  const rows = await read.sql.all<Sum & { id: number }>(cached(text), json, ...seen.values);
  return new Map(rows.map(({ id, ...sum }) => [id, sum]));
}

interface Member {
  readonly id: number;
  readonly count: number;
  readonly log_time: number;
  readonly fingerprint: string;
  readonly level: number;
  readonly app_id: number;
}

/** Returns a page of errors, each shown as its newest group. */
export async function rollupPage(
  reader: GroupReader,
  selection: Selection,
  query: ListQuery<ErrlogSort>,
): Promise<ErrlogPage> {
  const { db } = reader;
  if (!SORTS.has(query.sort)) {
    throw invalidField('query.sort', `rolled-up errors can only be sorted by ${[...SORTS].join(', ')}`);
  }
  const kept = selection.lines === undefined ? await keptCount(db.read.sql, selection.groups) : undefined;
  const { ids, found, complete } = await idsOf(reader, selection, query, kept);
  const sums = await sumsOf(reader, JSON.stringify(ids));
  const entries = new Map((await errlogByIds(db.read.sql, ids)).map((entry) => [entry.id, entry]));
  const data = ids.flatMap((id) => {
    const [entry, sum] = [entries.get(id), sums.get(id)];
    // Retention removed the group meanwhile.
    if (entry === undefined || sum === undefined) return [];
    return query.detail === 1 ? { ...entry, ...sum } : basic(entry, sum);
  });
  const count = kept ?? found;
  const rows = query.detail === 1 && isTimed(selection.groups) ? await withErrorSpan(reader, selection, data) : data;
  return { data: rows, meta: kept === undefined && !complete ? { count, capped: true } : { count } };
}

interface PageIds {
  readonly ids: readonly number[];
  /** Number of errors found on the way. */
  readonly found: number;
  /** True if these are all errors. */
  readonly complete: boolean;
}

/** Finds the newest groups of the errors of a page. `kept` is the kept number of errors. */
async function idsOf(
  reader: GroupReader,
  selection: Selection,
  { slice: { offset, limit }, sort }: ListQuery<ErrlogSort>,
  kept: number | undefined,
): Promise<PageIds> {
  if (sort !== '-log_time') {
    const { newest, complete } = await newestOfEach(reader, selection, LOOK_MAX, COUNTED_MAX);
    // The scan is newest first, and sorting is stable: the newest of equally frequent errors comes first.
    const sorted = newest.sort((a, b) => (sort === 'count' ? a.count - b.count : b.count - a.count));
    return { ids: idsIn(sorted, offset, limit), found: sorted.length, complete };
  }
  if (kept === undefined) {
    const { newest, complete } = await newestOfEach(reader, selection, LOOK_MAX);
    return { ids: idsIn(newest, offset, limit), found: newest.length, complete };
  }
  const behind = Math.max(0, kept - offset - limit);
  const along = (order: 'log_time' | '-log_time', slice: Slice) =>
    kindsAlong(reader.db, selection.groups, order, slice);
  let ids: readonly number[];
  if (behind < offset) {
    const oldest = await along('log_time', { offset: behind, limit: Math.max(0, kept - offset - behind) });
    ids = oldest.reverse();
  } else if (offset + limit <= PORTION) {
    ids = await along('-log_time', { offset, limit });
  } else {
    ids = idsIn((await newestOfEach(reader, selection, offset + limit)).newest, offset, limit);
  }
  return { ids, found: kept, complete: true };
}

/** An error of a scan: its newest group, and the sum of the counts of its groups so far. */
interface ScannedError {
  readonly id: number;
  count: number;
}

const idsIn = (errors: readonly ScannedError[], offset: number, limit: number): number[] =>
  errors.slice(offset, offset + limit).map(({ id }) => id);

const basic = ({ id, level, src, log_time, log }: ErrlogEntry, { count }: { count: number }): ErrlogEntry => ({
  id,
  level,
  count,
  src,
  log_time,
  log,
});

/** Returns the kept number of errors, if the filter has one. */
async function keptCount(sql: Sql, filter: GroupFilter): Promise<number | undefined> {
  const { app_id, service } = filter;
  if (!isEmptyFilter({ ...filter, level: undefined, level_max: undefined, app_id: undefined, service: undefined }))
    return undefined;
  const levels = levelsOf(filter);
  const where = new Where()
    .andIf('src = ?', ANY_SOURCE)
    .andIf('app_id = ?', app_id)
    .andIf('service = ?', service)
    .andIf('level >= ?', levels?.from)
    .andIf('level <= ?', levels?.to);
  const text = `SELECT CAST(coalesce(sum(n), 0) AS bigint) AS n FROM errlog_total${where.text}`;
  return (await sql.get<{ n: number }>(cached(text), ...where.values))?.n ?? 0;
}

/** Finds the newest group of each error, newest first, up to `wanted` of them. Counts are whole without that limit. */
async function newestOfEach(reader: GroupReader, selection: Selection, wanted: number, max = LOOK_MAX) {
  const seen = new Map<string, ScannedError>();
  const portions = newestGroups(reader, {
    selection,
    columns: 'e.id, e.count, e.log_time, e.fingerprint, e.level, e.app_id',
    max,
  });
  while (seen.size < wanted) {
    const { done, value } = await portions.next();
    if (done === true) return { newest: [...seen.values()], complete: !value };
    const order = `${value.text} ${orderOf('-log_time')}`;
    const members = await reader.db.read.sql.all<Member>(cached(order), ...value.values);
    const places = value.ids && new Map(value.ids.map((id, place) => [id, place]));
    if (places) members.sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
    for (const { id, count, level, app_id, fingerprint } of members) {
      const key = `${level},${app_id},${fingerprint}`;
      const known = seen.get(key);
      if (known === undefined) seen.set(key, { id, count });
      else known.count += count;
    }
  }
  return { newest: [...seen.values()], complete: false };
}

/**
 * Condition that no source has seen the same error later. It holds only for filters that match all groups of an error
 * or none. The plus sign keeps SQLite from using the index of times. The offset keeps PostgreSQL from a join, for which
 * it would read all groups.
 */
const newestOfItsKind = (dialect: Dialect) =>
  new Where().and(`NOT EXISTS (SELECT 1 FROM errlog o WHERE ${errorCondition(dialect, 'o', errorOf('e'))}
    AND (+o.log_time, o.id) > (e.log_time, e.id)${dialect === 'postgresql' ? ' OFFSET 0' : ''})`);

/**
 * Finds the newest groups of errors in an order, by looking for a newer one of each. A portion before the page is only
 * counted: its rows would take as long as finding them.
 */
async function kindsAlong(
  db: Database,
  filter: GroupFilter,
  sort: 'log_time' | '-log_time',
  { offset, limit }: Slice,
): Promise<number[]> {
  const { sql } = db.read;
  const page: number[] = [];
  const newest = newestOfItsKind(db.dialect);
  let left = offset;
  for await (const portion of portionsOf(sql, await inOrder(db, filter, sort), LOOK_MAX)) {
    if (page.length >= limit) break;
    if (left >= PORTION) {
      left = Math.max(0, left - (await countOf(sql, portion, newest)));
      continue;
    }
    const { text, values } = asQuery(portion, 'e.id, e.log_time', newest);
    const wanted = left + limit - page.length;
    const rows = await sql.all<{ id: number }>(cached(`${text} ${orderOf(sort)} LIMIT ?`), ...values, wanted);
    page.push(...rows.slice(left).map(({ id }) => id));
    left = Math.max(0, left - rows.length);
  }
  return page;
}
