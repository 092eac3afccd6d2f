// Groups that no index can list alone: those that a condition on lines selects, and those of a span that ended before
// they happened last.
import { AppError } from '@quarterdeck/core/plain';
import { CommitCache, cached, Where } from '@quarterdeck/core/sql';
import type { RowSort } from '../tables/columns.ts';
import { filterWhere, withoutTime } from '../tables/filter.ts';
import { findByLines, findInSpan, type GroupReader, type HappenedInSpan, type InSpan } from './line-search.ts';
import { asQuery, inOrder, PORTION, portionsWith } from './ordered-scan.ts';
import { findRemovedLines } from './removed-lines.ts';
import { findText } from './search.ts';
import { COUNT_MAX, FEW } from './search-candidates.ts';
import { type GroupRow, inListOrder, rowsById } from './search-verify.ts';
import type { Selection } from './selection.ts';

/** Most groups of a span that are sorted. */
const IN_SPAN_MAX = 100_000;
/** Most groups that are exported or changed at once. */
const ALL_MAX = 5_000_000;

/** Groups in the order of a list. `capped`: there may be more. `complete`: the time of the search sufficed. */
export interface FoundGroups {
  readonly ids: readonly number[];
  readonly capped: boolean;
  readonly complete: boolean;
}

/** A page's order, and its end; 0 without a page. */
export interface WantedGroups {
  readonly sort: RowSort;
  readonly wanted?: number;
}

/** Tells whether {@link findGroups} is needed. */
export const needsSearch = ({ lines, isPast }: Selection): boolean => lines !== undefined || isPast;

/** Finds the groups of a selection. */
export async function findGroups(
  reader: GroupReader,
  selection: Selection,
  { sort, wanted = 0 }: WantedGroups,
): Promise<FoundGroups> {
  const matches = selection.lines === undefined ? undefined : await findMatches(reader, selection, sort, wanted);
  if (!selection.isPast) {
    const { rows = [], max = 0, capped = false, complete = true } = matches ?? {};
    return { ids: idsOf(inListOrder(rows, sort), max), capped: capped || rows.length > max, complete };
  }
  const max = Math.max(IN_SPAN_MAX, wanted);
  const inSpan = await happenedIn(
    reader,
    selection,
    max,
    matches?.rows.map(({ id }) => id),
  );
  const rows = matches?.rows ?? (await rowsById(reader.db, inSpan.groups.keys(), groupsWhere(reader, selection)));
  const placed = rows.flatMap((row) => {
    const happened = inSpan.groups.get(row.id);
    return happened === undefined ? [] : { ...row, log_time: happened.last };
  });
  const limit = matches?.max ?? max;
  const isFull = inSpan.groups.size >= max;
  return {
    ids: idsOf(inListOrder(placed, sort), limit),
    capped: isFull || placed.length > limit || (matches?.capped ?? false),
    complete: (inSpan.complete || isFull) && (matches?.complete ?? true),
  };
}

const idsOf = (rows: readonly GroupRow[], max: number) => rows.slice(0, max).map(({ id }) => id);

/** Condition of the groups of a selection, whenever they happened last. */
const groupsWhere = ({ db }: GroupReader, { groups, isPast }: Selection): Where =>
  filterWhere(db.dialect, isPast ? withoutTime(groups) : groups);

interface Matches {
  readonly rows: readonly GroupRow[];
  /** Most groups that are counted. */
  readonly max: number;
  readonly capped: boolean;
  readonly complete: boolean;
}

/** Finds the groups with a matching line or a matching newest text, in any order. */
async function findMatches(reader: GroupReader, selection: Selection, sort: RowSort, wanted: number): Promise<Matches> {
  const { lines = { kind: 'all' }, groups } = selection;
  const newest =
    lines.kind === 'text'
      ? await findText(reader.db, { filter: groups, sort, wanted }, lines.text)
      : await findRemovedLines(reader, selection, FEW);
  // A common text fills the page with groups whose newest text has it: older lines need not be searched far.
  const max = Math.max(newest.capped ? COUNT_MAX : FEW, newest.rows.length, wanted);
  const { ids, complete } = await findByLines(reader, selection, max);
  const known = new Set(newest.rows.map(({ id }) => id));
  const older = await rowsById(
    reader.db,
    ids.filter((id) => !known.has(id)),
    groupsWhere(reader, selection),
  );
  const isFull = ids.length >= max;
  return {
    rows: [...newest.rows, ...older],
    max,
    capped: newest.capped || (isFull && !complete),
    complete: complete || isFull,
  };
}

/** Occurrences in the span of a selection, of some groups or of all that it selects. */
export function happenedIn(reader: GroupReader, selection: Selection, max: number, ids?: readonly number[]) {
  return findInSpan(reader, selection, max, ids, () => candidatesOf(reader, selection, ids));
}

async function* candidatesOf(
  { db }: GroupReader,
  { groups }: Selection,
  ids: readonly number[] | undefined,
): AsyncGenerator<readonly number[]> {
  if (ids !== undefined) {
    for (let at = 0; at < ids.length; at += PORTION) yield ids.slice(at, at + PORTION);
    return;
  }
  const { start_time, end_time = Number.MAX_SAFE_INTEGER } = groups;
  const ordered = await inOrder(db, { ...groups, start_time, end_time: undefined }, '-log_time');
  const began = new Where().and('+e.first_seen <= ?', end_time);
  for await (const portion of portionsWith(db.read.sql, ordered, began, Number.POSITIVE_INFINITY)) {
    const { text, values } = asQuery(portion, 'e.id');
    yield (await db.read.sql.all<{ id: number }>(cached(text), ...values)).map(({ id }) => id);
  }
}

/**
 * Returns the ids of all groups of a selection that {@link needsSearch}, by falling id.
 *
 * @throws AppError `conflict` if the search ended before it had seen all lines
 */
export const findAllIds = async (reader: GroupReader, selection: Selection): Promise<number[]> =>
  (await findAll(reader, selection)).ids;

/** Rows of all groups of a selection, until the next commit: pages read by cursor share them. */
const allRows = new CommitCache<readonly GroupRow[]>(4);

/**
 * Returns all groups of a selection that {@link needsSearch}, in the order of a list.
 *
 * @throws AppError `conflict` if the search ended before it had seen all lines
 */
export const findAllRows = (reader: GroupReader, selection: Selection, sort: RowSort): Promise<readonly GroupRow[]> =>
  allRows.get(reader.db, JSON.stringify([selection, sort]), async () => {
    const { ids, inSpan } = await findAll(reader, selection);
    const rows = await rowsById(reader.db, ids, groupsWhere(reader, selection));
    const placed = rows.map((row) => ({ ...row, log_time: inSpan?.get(row.id)?.last ?? row.log_time }));
    return inListOrder(placed, sort);
  });

interface AllGroups {
  /** By falling id. */
  readonly ids: number[];
  /** Occurrences in the span, where it is past. */
  readonly inSpan: ReadonlyMap<number, InSpan> | undefined;
}

async function findAll(reader: GroupReader, selection: Selection): Promise<AllGroups> {
  let ids: readonly number[] | undefined;
  let complete = true;
  let inSpan: HappenedInSpan | undefined;
  if (selection.lines !== undefined) {
    const found = await findByLines(reader, selection, ALL_MAX);
    const removed = await findRemovedLines(reader, selection, Number.POSITIVE_INFINITY);
    ids = [...new Set([...found.ids, ...removed.rows.map(({ id }) => id)])];
    complete = found.complete;
  }
  if (selection.isPast && complete) {
    inSpan = await happenedIn(reader, selection, ALL_MAX, ids);
    ids = [...inSpan.groups.keys()];
    complete = inSpan.complete;
  }
  if (!complete) {
    const message = 'The search ended before it had seen all lines. Narrow the filter, for example by time.';
    throw new AppError('conflict', { message });
  }
  return { ids: (ids ?? []).toSorted((a, b) => b - a), inSpan: inSpan?.groups };
}
