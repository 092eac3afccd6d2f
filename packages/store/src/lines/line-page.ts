// Pages of lines.
import type { FirstLines } from './first-lines.ts';
import { type Cursor, type CursorName, formatCursor, parseCursor } from './line-cursor.ts';
import type { Line, LinePage, LineSlice } from './line-reads.ts';
import { isBefore, type LineOrder, type LinePlace, type Rank, rankOf } from './order.ts';

/** Order of a page by the parameter of its cursor: by time, and by arrival. */
const ORDERS = {
  before: { byTime: 'newest', byArrival: 'last arrived' },
  after: { byTime: 'oldest', byArrival: 'first arrived' },
} as const satisfies Record<CursorName, Record<'byTime' | 'byArrival', LineOrder>>;

/** Step towards newer lines. */
const STEP = { before: 1, after: -1 } as const satisfies Record<CursorName, number>;

/** Place in the order of arrival where a search begins that reads in it. */
const ARRIVED_FIRST = { before: Number.MAX_SAFE_INTEGER, after: -1 } as const satisfies Record<CursorName, number>;

/** Returns a page of lines. `first` finds the first ones behind a place. */
export async function readPage(
  first: (place: LinePlace, limit: number) => Promise<FirstLines>,
  { limit, before, after }: LineSlice,
): Promise<LinePage> {
  const name: CursorName = after === undefined ? 'before' : 'after';
  const text = after ?? before;
  const cursor = text === undefined ? undefined : parseCursor(name, text);
  const found = await first(placeOf(name, cursor), limit);
  const data = [...found.lines].sort((a, b) => b.time - a.time || Number(b.id) - Number(a.id));
  const onward = cursorOnward(name, cursor, found);
  const back = cursor === undefined ? undefined : cursorBack(name, cursor, name === 'before' ? data[0] : data.at(-1));
  const format = (key: CursorName) => {
    const place = key === name ? onward : back;
    return place === undefined ? null : formatCursor(key, place);
  };
  const meta = { before: format('before'), after: format('after') };
  return { data, meta: { ...meta, complete: found.stoppedAt === undefined, scanned: found.scanned } };
}

function placeOf(name: CursorName, cursor: Cursor | undefined): LinePlace {
  const { arrived } = cursor ?? {};
  const order = ORDERS[name][arrived === undefined ? 'byTime' : 'byArrival'];
  return { order, ...(cursor !== undefined && { bound: cursor }), ...(arrived !== undefined && { arrived }) };
}

/** The cursor behind the lines that were found; undefined where none are left. */
function cursorOnward(name: CursorName, cursor: Cursor | undefined, found: FirstLines): Cursor | undefined {
  const { stoppedAt, hasMore, lines } = found;
  const last = lines.at(-1);
  if (stoppedAt !== undefined) return cursorAt(name, cursor, stoppedAt);
  if (!hasMore || last === undefined) return undefined;
  if (cursor?.arrived !== undefined) return { ...cursor, arrived: Number(last.id) };
  return { time: last.time, id: Number(last.id) };
}

/** The cursor just in front of a rank. */
function cursorAt(name: CursorName, cursor: Cursor | undefined, { major, minor }: Rank): Cursor {
  const sign = -STEP[name];
  if (cursor?.arrived !== undefined) return { ...cursor, arrived: sign * major + STEP[name] };
  const order = ORDERS[name].byTime;
  const next = { time: sign * major, id: sign * minor + STEP[name] };
  const isFurther =
    cursor === undefined || isBefore(rankOf(order, cursor.time, cursor.id), rankOf(order, next.time, next.id));
  return isFurther ? next : { ...cursor, arrived: ARRIVED_FIRST[name] };
}

/** The cursor to the other side of a page, from its line on that side or, on an empty page, from its own cursor. */
function cursorBack(name: CursorName, { time, id }: Cursor, edge: Line | undefined): Cursor {
  return edge === undefined ? { time, id: id - STEP[name] } : { time: edge.time, id: Number(edge.id) };
}
