// Groups of a selection by their stored lines: which of them match, and how often and when they happened in a span.

import { type Database, statement } from '@quarterdeck/core/db';
import { allOf, type Filter } from '@quarterdeck/core/filter';
import { CommitCache } from '@quarterdeck/core/sql';
import type { LineQuery, LineReads } from '../lines/line-reads.ts';
import { errorCondition } from '../tables/fingerprint-index.ts';
import { sumsOfGroups } from '../tables/group-minutes.ts';
import { linesHeldFrom } from '../tables/held-lines.ts';
import { firstMinuteKept } from '../tables/minutes.ts';
import type { SelectingReader, Selection } from './selection.ts';

/** Reader of groups, what it may see, and the caller that a search of lines counts for. */
export interface GroupReader extends SelectingReader {
  readonly lines: Pick<LineReads, 'groups' | 'groupIds' | 'newestOf'>;
  readonly credential: string;
}

/** Occurrences of a group in a span, and the last of them in Unix seconds. */
export interface InSpan {
  readonly count: number;
  readonly last: number;
}

type Ids = Awaited<ReturnType<LineReads['groupIds']>>;

/** Caches searches until the next commit: a list, its facets and its histogram share one. */
const searches = new CommitCache<Ids>(8);

/** Returns the ids of at most `max` groups with a line that matches a selection. */
export async function findByLines(reader: GroupReader, selection: Selection, max: number): Promise<Ids> {
  const query = await lineQueryOf(reader.db, selection);
  return searches.get(reader.db, JSON.stringify([query, max]), () =>
    reader.lines.groupIds(query, max, reader.credential),
  );
}

/** Returns the query of the lines that decide on a selection. */
export async function lineQueryOf(db: Database, selection: Selection): Promise<LineQuery> {
  const { state, fingerprint, ...groups } = selection.groups;
  const ofState: Filter[] =
    state === undefined ? [] : [{ kind: 'field', field: 'state', test: { op: 'equals', values: state } }];
  return {
    filter: allOf([...(selection.lines === undefined ? [] : [selection.lines]), selection.terms, ...ofState]),
    startTime: groups.start_time,
    endTime: groups.end_time,
    level: groups.level,
    levelMax: groups.level_max,
    src: groups.src,
    appId: groups.app_id,
    reqId: selection.lines === undefined ? undefined : selection.reqId,
    nodeType: groups.node_type,
    nodeId: groups.node_id,
    service: groups.service,
    groups: fingerprint === undefined ? undefined : await idsOfError(db, fingerprint),
  };
}

const OF_ERROR = statement(
  (dialect) => `SELECT e.id FROM errlog e WHERE ${errorCondition(dialect, 'e', { fingerprint: '?' })}`,
);

const idsOfError = async ({ read: { sql } }: Database, fingerprint: string): Promise<number[]> =>
  (await sql.all<{ id: number }>(OF_ERROR, fingerprint)).map(({ id }) => id);

/** Groups that happened in a span. `complete`: these are all. */
export interface HappenedInSpan {
  readonly groups: ReadonlyMap<number, InSpan>;
  readonly complete: boolean;
}

/**
 * Returns at most `max` of the groups that happened in the span of a selection: those among `ids`, or all. Lines decide
 * as far as they are held; before, the kept minutes of `candidates`.
 */
export async function findInSpan(
  reader: GroupReader,
  selection: Selection,
  max: number,
  ids: readonly number[] | undefined,
  candidates: () => AsyncIterable<readonly number[]>,
): Promise<HappenedInSpan> {
  const { start_time: start = 0, end_time: end = Number.MAX_SAFE_INTEGER } = selection.groups;
  const heldFrom = await linesHeldFrom(reader.db.read.sql);
  const found = new Map<number, InSpan>();
  let complete = true;
  if (end >= heldFrom) {
    const query = await lineQueryOf(reader.db, { ...selection, lines: undefined });
    const inSpan = { ...query, startTime: Math.max(start, heldFrom), ...(ids === undefined ? {} : { groups: ids }) };
    const answer = await reader.lines.groups(inSpan, max, reader.credential);
    complete = answer.complete;
    for (const { id, count, last } of answer.groups) found.set(id, { count, last });
  }
  if (start >= heldFrom) return { groups: found, complete };
  for await (const some of candidates()) {
    for (const { id, n, last } of await sumsOf(reader.db, some, start, Math.min(end, heldFrom - 1))) {
      const known = found.get(id);
      if (known === undefined && found.size >= max) return { groups: found, complete: false };
      found.set(id, { count: n + (known?.count ?? 0), last: known?.last ?? last * 60 });
    }
  }
  return { groups: found, complete };
}

/**
 * Returns how often some groups happened in the span of a selection. Kept minutes tell it where there are any, and
 * lines only in the minutes that the span cuts: a list that is read again and again must not search a day of lines.
 */
export async function countInSpan(
  reader: GroupReader,
  selection: Selection,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { start_time: start = 0, end_time: end = Number.MAX_SAFE_INTEGER } = selection.groups;
  const counts = new Map<number, number>();
  const add = (id: number, n: number) => counts.set(id, n + (counts.get(id) ?? 0));
  const addLines = async (startTime: number, endTime: number) => {
    if (startTime > endTime) return;
    const query = { groups: ids, startTime, endTime };
    const { groups } = await reader.lines.groups(query, ids.length, reader.credential);
    for (const { id, count } of groups) add(id, count);
  };
  const addMinutes = async (from: number, to: number) => {
    for (const { id, n } of await sumsOf(reader.db, ids, from, to)) add(id, n);
  };
  const heldFrom = await linesHeldFrom(reader.db.read.sql);
  const first = Math.ceil(start / 60) * 60;
  const last = selection.isPast ? Math.floor((end + 1) / 60) * 60 : Number.MAX_SAFE_INTEGER;
  if (start < Math.max(heldFrom, firstMinuteKept(reader.nowS) * 60)) {
    if (start < heldFrom) await addMinutes(start, Math.min(end, heldFrom - 1));
    await addLines(Math.max(start, heldFrom), end);
  } else if (first > last) {
    await addLines(start, end);
  } else {
    await addLines(start, first - 1);
    await addMinutes(first, last - 1);
    if (selection.isPast) await addLines(last, end);
  }
  return counts;
}

/** Occurrences of some groups in the minutes that begin in a span, Unix seconds, both ends included. */
const sumsOf = ({ read: { sql } }: Database, ids: readonly number[], start: number, end: number) =>
  sumsOfGroups(sql, ids, Math.ceil(start / 60), Math.floor(end / 60));
