// A page of groups, in any order and of any filter, and the number of groups there are.
import type { ErrlogEntry, ErrlogSort, Slice } from '@quarterdeck/core';
import type { Sql } from '@quarterdeck/core/db';
import { type ErrlogPage, errlogByIds, type ListQuery, type PartSort, toDetail } from '../tables/columns.ts';
import { isTimed } from '../tables/filter.ts';
import { byCountPage } from './by-count.ts';
import { countGroups } from './count.ts';
import { cursorPage } from './cursor-page.ts';
import { findGroups, happenedIn, needsSearch } from './find-groups.ts';
import { countInSpan, type GroupReader } from './line-search.ts';
import { parseListCursor } from './list-cursor.ts';
import { deepPage, inOrder, type Ordered, PORTION, pageOf as readPage } from './ordered-scan.ts';
import { partsPage } from './parts-page.ts';
import { rollupPage } from './rollup.ts';
import { type Selection, selectGroups } from './selection.ts';

/** A page of groups, and how many there are. */
export async function listErrlog(reader: GroupReader, query: ListQuery<ErrlogSort>): Promise<ErrlogPage> {
  const { sort, cursor } = query;
  if (query.rollup) return rollupPage(reader, await selectGroups(reader, query.filter), query);
  if (!isPartSort(sort)) return listByRow(reader, { ...query, sort });
  // A cursor that was given out is of another order, which its parser says.
  if (cursor !== undefined && cursor !== '') parseListCursor(query, cursor);
  const slice = cursor === undefined ? query.slice : { ...query.slice, offset: 0 };
  return partsPage(reader, { ...query, slice, sort }, (part) => listByRow(reader, part));
}

const isPartSort = (sort: ErrlogSort): sort is PartSort => /(level|source)$/.test(sort);

async function listByRow(reader: GroupReader, query: ListQuery): Promise<ErrlogPage> {
  const selection = await selectGroups(reader, query.filter);
  const page = await (query.cursor === undefined
    ? pageOf(reader, selection, query)
    : cursorPage(reader, selection, query, query.cursor));
  const data = query.detail === 1 ? await withSpan(reader, selection, page.data) : page.data;
  return { data, meta: isTimed(selection.groups) ? { complete: true, ...page.meta } : page.meta };
}

async function pageOf(reader: GroupReader, selection: Selection, query: ListQuery): Promise<ErrlogPage> {
  const { db } = reader;
  const { slice, sort, detail } = query;
  if (needsSearch(selection)) return searchPage(reader, selection, query);
  // Nothing happened after the end of the span.
  const groups = { ...selection.groups, end_time: undefined };
  if (sort === 'count' || sort === '-count') return byCountPage(db, groups, query);
  const ordered = await inOrder(db, groups, sort, slice.offset);
  const counting = ordered.count ?? countGroups(db, groups);
  const { data, count } = await (slice.offset <= PORTION
    ? firstPage(db.read.sql, ordered, slice, { counting, detail })
    : pageBehind(db.read.sql, ordered, slice, { counting, detail }));
  return { data: detail === 1 ? data.map(toDetail) : data, meta: { count } };
}

interface Reading {
  readonly counting: number | Promise<number>;
  readonly detail: number;
}

/** Reads a page near the start while its groups are counted: on PostgreSQL each read is a round trip. */
async function firstPage(sql: Sql, ordered: Ordered, slice: Slice, { counting, detail }: Reading) {
  const [count, data] = await Promise.all([counting, slice.limit === 0 ? [] : readPage(sql, ordered, slice, detail)]);
  return { data, count };
}

async function pageBehind(sql: Sql, ordered: Ordered, slice: Slice, { counting, detail }: Reading) {
  const count = await counting;
  return { data: await deepPage(sql, ordered, slice, { count, detail }), count };
}

async function searchPage(
  reader: GroupReader,
  selection: Selection,
  { sort, slice, detail }: ListQuery,
): Promise<ErrlogPage> {
  const wanted = slice.offset + slice.limit;
  const { ids, capped, complete } = await findGroups(reader, selection, { sort, wanted });
  const page = ids.slice(slice.offset, wanted);
  const entries = new Map((await errlogByIds(reader.db.read.sql, page, detail)).map((entry) => [entry.id, entry]));
  const data = page.flatMap((id) => entries.get(id) ?? []);
  return { data, meta: { count: ids.length, ...(capped ? { capped } : {}), complete } };
}

/** Adds what happened in the span of a selection. Most groups happened in no other time, so they tell it themselves. */
async function withSpan(
  reader: GroupReader,
  selection: Selection,
  entries: readonly ErrlogEntry[],
): Promise<ErrlogEntry[]> {
  if (!isTimed(selection.groups)) return [...entries];
  const { start_time: start = 0, end_time: end = Number.MAX_SAFE_INTEGER } = selection.groups;
  const beyond = entries.flatMap(({ id, first_seen = 0, log_time }) =>
    first_seen < start || log_time > end ? id : [],
  );
  const later = entries.flatMap(({ id, log_time }) => (log_time > end ? id : []));
  const counts = beyond.length === 0 ? undefined : await countInSpan(reader, selection, beyond);
  const span = { startTime: start, endTime: end };
  const lines = later.length === 0 ? undefined : await reader.lines.newestOf(later, span, reader.credential);
  const removed = later.filter((id) => lines?.has(id) !== true);
  const times = removed.length === 0 ? undefined : await happenedIn(reader, selection, removed.length, removed);
  return entries.map((entry) => {
    const { id, count, log_time, log } = entry;
    const newest = log_time > end ? lines?.get(id) : { time: log_time, log };
    return {
      ...entry,
      count_in_range: counts?.get(id) ?? count,
      log_time_in_range: newest?.time ?? times?.groups.get(id)?.last,
      ...(newest === undefined ? {} : { log_in_range: newest.log }),
    };
  });
}
