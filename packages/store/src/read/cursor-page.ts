// Pages of a list that is read by cursor. A group moves when a line of it arrives, and may pass the reader. So the list
// is read behind the last place, and then the groups of all lines that arrived meanwhile, by id, which never changes.
import { type ErrlogPage, errlogByIds, type ListQuery } from '../tables/columns.ts';
import { nextLineId } from '../tables/segment-rows.ts';
import { walkSelection } from './all-groups.ts';
import { groupsOfLines } from './arrived-groups.ts';
import { placesByCount } from './by-count.ts';
import { countGroups } from './count.ts';
import { findAllRows, needsSearch } from './find-groups.ts';
import type { GroupReader } from './line-search.ts';
import { type Arrived, formatListCursor, type ListCursor, parseListCursor } from './list-cursor.ts';
import { columnOf, inOrder, type Place, placesBehind } from './ordered-scan.ts';
import { isByCount } from './search-verify.ts';
import type { Selection } from './selection.ts';

/**
 * Returns the page behind a cursor. A group that exists and matches during the whole read is on one of its pages.
 *
 * @throws AppError `validation_failed` for a wrong cursor, `conflict` if a search of lines did not see all of them
 */
export async function cursorPage(
  reader: GroupReader,
  selection: Selection,
  query: ListQuery,
  text: string,
): Promise<ErrlogPage> {
  const { sql } = reader.db.read;
  const cursor = text === '' ? { since: await nextLineId(sql) } : parseListCursor(query, text);
  const { limit } = query.slice;
  const ids: number[] = [];
  let next: ListCursor | undefined;
  let { arrived } = cursor;
  if (arrived === undefined) {
    const places = await listPlaces(reader, selection, query, cursor.list);
    ids.push(...places.map(({ id }) => id));
    if (places.length === limit) next = { ...cursor, list: places.at(-1) };
    // Read after the places: what moved before them has lines with lower ids.
    else arrived = { until: await nextLineId(sql), belowId: Number.MAX_SAFE_INTEGER };
  }
  if (arrived !== undefined) {
    const moved = await movedGroups(reader, selection, cursor.since, arrived, limit - ids.length);
    next =
      moved.belowId === undefined
        ? undefined
        : { since: cursor.since, arrived: { ...arrived, belowId: moved.belowId } };
    ids.push(...moved.ids);
  }
  const entries = new Map((await errlogByIds(sql, ids, query.detail)).map((entry) => [entry.id, entry]));
  return {
    data: [...new Set(ids)].flatMap((id) => entries.get(id) ?? []),
    meta: {
      count: await countAll(reader, selection, query),
      ...(needsSearch(selection) ? { complete: true } : {}),
      next: next === undefined ? null : formatListCursor(query, next),
    },
  };
}

/** The filter without the end of its span, after which nothing happened unless the span is past. */
const untilNow = ({ groups }: Selection) => ({ ...groups, end_time: undefined });

async function countAll(reader: GroupReader, selection: Selection, { sort }: ListQuery): Promise<number> {
  if (needsSearch(selection)) return (await findAllRows(reader, selection, sort)).length;
  return countGroups(reader.db, untilNow(selection));
}

/** Returns the places of the next groups of the list. */
async function listPlaces(
  reader: GroupReader,
  selection: Selection,
  { sort, slice: { limit } }: ListQuery,
  place: Place | undefined,
): Promise<Place[]> {
  const { db } = reader;
  if (!needsSearch(selection)) {
    const groups = untilNow(selection);
    if (isByCount(sort)) return placesByCount(db, groups, { place, limit, isDescending: sort === '-count' });
    return placesBehind(db.read.sql, await inOrder(db, groups, sort, 0), place, limit);
  }
  const rows = await findAllRows(reader, selection, sort);
  const column = columnOf(sort);
  const sign = sort.startsWith('-') ? -1 : 1;
  const from = rows.findIndex((row) => place === undefined || sign * (row[column] - place.at || row.id - place.id) > 0);
  return from < 0 ? [] : rows.slice(from, from + limit).map((row) => ({ id: row.id, at: row[column] }));
}

interface Moved {
  readonly ids: readonly number[];
  /** Groups with an id below may be left; undefined for none. */
  readonly belowId: number | undefined;
}

/** Returns the next groups whose lines arrived during the read; all groups if those lines are gone. */
async function movedGroups(
  reader: GroupReader,
  selection: Selection,
  since: number,
  { until, belowId }: Arrived,
  limit: number,
): Promise<Moved> {
  const among = await groupsOfLines(reader.db.read.sql, since, until);
  const ids: number[] = [];
  for await (const run of await walkSelection<{ id: number }>(reader, selection, 'e.id', {
    beforeId: belowId,
    among,
  })) {
    ids.push(...run.map(({ id }) => id));
    if (ids.length > limit) return { ids: ids.slice(0, limit), belowId: ids[limit - 1] };
  }
  return { ids, belowId: undefined };
}
