// Roll-up: an error on forty nodes as one entry with forty sources.
import type { ErrlogEntry, ErrlogSort, Slice } from '@quarterdeck/core';
import type { Database, Dialect, Sql } from '@quarterdeck/core/db';
import { invalidField } from '@quarterdeck/core/plain';
import { cached, inJson, Where } from '@quarterdeck/core/sql';
import { type ErrlogPage, errlogByIds, type ListQuery, toDetail } from '../tables/columns.ts';
import { type GroupFilter, isEmptyFilter, isTimed, levelsOf } from '../tables/filter.ts';
import { errorCondition, errorOf } from '../tables/fingerprint-index.ts';
import { ALL_SOURCES, ANY_SOURCE } from '../tables/totals.ts';
import type { GroupReader } from './line-search.ts';
import { asQuery, countOf, deepPage, inOrder, orderOf, PORTION, portionsOf } from './ordered-scan.ts';
import { errorsOnPage, type FoundErrors, findErrors } from './rollup-scan.ts';
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
  const numbers = selection.lines === undefined ? await keptNumbers(db.read.sql, selection.groups) : undefined;
  const kept = numbers?.errors;
  // No error of the filter has two groups.
  if (query.sort === '-log_time' && numbers?.groups === kept && kept !== undefined) {
    return { data: await singlesOf(db, selection.groups, query, kept), meta: { count: kept } };
  }
  const { ids, found, complete } = await idsOf(reader, selection, query, kept);
  const [sums, newest] = await Promise.all([sumsOf(reader, JSON.stringify(ids)), errlogByIds(db.read.sql, ids)]);
  const entries = new Map(newest.map((entry) => [entry.id, entry]));
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

/** Reads a page of `count` errors that have one group each: it is that of the groups. */
async function singlesOf(
  db: Database,
  filter: GroupFilter,
  { slice, detail }: ListQuery<ErrlogSort>,
  count: number,
): Promise<ErrlogEntry[]> {
  const ordered = await inOrder(db, filter, '-log_time', slice.offset);
  const groups = await deepPage(db.read.sql, ordered, slice, { count, detail });
  return detail === 1 ? groups.map((group) => ({ ...toDetail(group), sources: 1 })) : groups;
}

/** Finds the newest groups of the errors of a page. `kept` is the kept number of errors. */
async function idsOf(
  reader: GroupReader,
  selection: Selection,
  { slice: { offset, limit }, sort }: ListQuery<ErrlogSort>,
  kept: number | undefined,
): Promise<FoundErrors> {
  const slice = { offset, limit };
  if (sort !== '-log_time') return findErrors(reader, selection, { sort, slice, max: COUNTED_MAX });
  if (kept === undefined) return findErrors(reader, selection, { sort, slice, max: LOOK_MAX });
  const behind = Math.max(0, kept - offset - limit);
  const along = (order: 'log_time' | '-log_time', part: Slice) => kindsAlong(reader.db, selection.groups, order, part);
  let ids: readonly number[];
  if (behind < offset) {
    const oldest = await along('log_time', { offset: behind, limit: Math.max(0, kept - offset - behind) });
    ids = oldest.reverse();
  } else if (offset + limit <= PORTION) {
    ids = await along('-log_time', slice);
  } else {
    ids = await errorsOnPage(reader, selection, { slice, max: LOOK_MAX });
  }
  return { ids, found: kept, complete: true };
}

const basic = ({ id, level, src, log_time, log }: ErrlogEntry, { count }: { count: number }): ErrlogEntry => ({
  id,
  level,
  count,
  src,
  log_time,
  log,
});

const sumFor = (src: number) => `CAST(coalesce(sum(CASE src WHEN ${src} THEN n END), 0) AS bigint)`;
const KEPT = `${sumFor(ANY_SOURCE)} AS errors, ${sumFor(ALL_SOURCES)} AS groups`;

/** Numbers that are kept for a filter. */
interface KeptNumbers {
  readonly errors: number;
  readonly groups: number;
}

/** Returns the kept numbers of errors and of their groups, if the filter has them. */
async function keptNumbers(sql: Sql, filter: GroupFilter): Promise<KeptNumbers | undefined> {
  const { app_id, service } = filter;
  if (!isEmptyFilter({ ...filter, level: undefined, level_max: undefined, app_id: undefined, service: undefined }))
    return undefined;
  const levels = levelsOf(filter);
  const where = new Where()
    .and(`src IN (${ALL_SOURCES}, ${ANY_SOURCE})`)
    .andIf('app_id = ?', app_id)
    .andIf('service = ?', service)
    .andIf('level >= ?', levels?.from)
    .andIf('level <= ?', levels?.to);
  return sql.get<KeptNumbers>(
    cached(`SELECT ${KEPT} FROM errlog_total${where.text}`, { isShort: true }),
    ...where.values,
  );
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
