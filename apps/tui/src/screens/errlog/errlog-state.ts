// The state of the error log: loaded rows, their order, waiting rows, and the selection. Pure.
//
// New rows arrive while people read. Following (the first row is the newest): they are inserted at once. Held (a row
// is selected, or details are open): rows keep their places, known ones get new counts, and new ones wait and are
// counted. Paused: nothing on the screen changes.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { AT_TOP, anchorCursor, type Cursor, locateCursor, moveBy, moveTo } from '../../components/table/cursor.ts';
import { type ErrlogFilter, isByTime, matchesFilter, NO_FILTER } from '../../data/errlog.ts';
import type { Failure } from '../../data/failure.ts';
import type { FeedEvent } from '../../data/feed.ts';

/** Rows of a page. */
export const PAGE_ROWS = 100;
/** Rows kept while following; scrolling down reads older ones again. */
const FOLLOWED_ROWS = 1_000;
/** Most waiting groups; with more, the list is read again instead. */
const WAITING_MAX = 2_000;

/** The error log on the screen. */
export interface ErrlogState {
  readonly rows: ReadonlyMap<number, ErrlogEntry>;
  /** Ids as shown, newest first. */
  readonly order: readonly number[];
  /** Groups on the server that pass the filter; null before the first answer. */
  readonly total: number | null;
  readonly atMs: number;
  readonly failure: Failure | null;
  readonly filter: ErrlogFilter;
  readonly cursor: Cursor;
  readonly paused: boolean;
  /** The details are open. */
  readonly reading: boolean;
  /** Groups that occurred since, by id. */
  readonly waiting: ReadonlyMap<number, ErrlogEntry>;
  /** True when more occurred than is waiting. */
  readonly missed: boolean;
}

/** An action; `height` is the number of rows in view. */
export type ErrlogAction =
  | { readonly type: 'loaded'; readonly rows: readonly ErrlogEntry[]; readonly total: number; readonly atMs: number }
  | { readonly type: 'loadedMore'; readonly rows: readonly ErrlogEntry[]; readonly total: number }
  /** The newest rows, read without changing the screen. */
  | { readonly type: 'peeked'; readonly rows: readonly ErrlogEntry[]; readonly total: number }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'events'; readonly events: readonly FeedEvent[] }
  | { readonly type: 'move'; readonly by: number; readonly height: number }
  | { readonly type: 'moveTo'; readonly index: number; readonly height: number }
  | { readonly type: 'follow' }
  | { readonly type: 'pause'; readonly height: number }
  | { readonly type: 'read'; readonly open: boolean; readonly height: number }
  | { readonly type: 'filter'; readonly filter: ErrlogFilter }
  /** Rows changed by this dashboard. */
  | { readonly type: 'changed'; readonly rows: readonly ErrlogEntry[] };

/** The state before the first answer. */
export const EMPTY: ErrlogState = {
  rows: new Map(),
  order: [],
  total: null,
  atMs: 0,
  failure: null,
  filter: NO_FILTER,
  cursor: AT_TOP,
  paused: false,
  reading: false,
  waiting: new Map(),
  missed: false,
};

/** True while new groups appear at once. */
export const isFollowing = (state: ErrlogState): boolean => !state.paused && !state.reading && state.cursor.id === null;

/** Groups that wait above the list: the offset between the server's list and this one. */
export const aheadBy = (state: ErrlogState): number =>
  [...state.waiting.keys()].filter((id) => !state.rows.has(id)).length;

/** Ids with the newest first, as on the server. */
function sorted(rows: ReadonlyMap<number, ErrlogEntry>): number[] {
  return [...rows.values()].sort((a, b) => b.log_time - a.log_time || b.id - a.id).map(({ id }) => id);
}

/** Inserts all waiting groups and goes to the top. */
function release(state: ErrlogState): ErrlogState {
  if (!isByTime(state.filter)) {
    const known = [...state.waiting].filter(([id]) => state.rows.has(id));
    return { ...state, rows: new Map([...state.rows, ...known]), waiting: new Map(), cursor: AT_TOP };
  }
  const rows = new Map([...state.rows, ...state.waiting]);
  // Groups below the last loaded row are read when the user scrolls there.
  const last = state.rows.get(state.order.at(-1) ?? Number.NaN);
  const isWhole = state.total !== null && state.order.length >= state.total;
  const order = sorted(rows)
    .filter(
      (id) => isWhole || last === undefined || state.rows.has(id) || (rows.get(id)?.log_time ?? 0) >= last.log_time,
    )
    .slice(0, FOLLOWED_ROWS);
  const kept = new Set(order);
  for (const id of rows.keys()) if (!kept.has(id)) rows.delete(id);
  return { ...state, rows, order, waiting: new Map(), cursor: AT_TOP };
}

/** Follows again from the first row when nothing waits. */
function settle(state: ErrlogState, height: number): ErrlogState {
  if (state.paused || state.reading || state.waiting.size > 0 || state.missed) return state;
  return locateCursor(state.cursor, state.order, height).index <= 0 ? { ...state, cursor: AT_TOP } : state;
}

type ErrlogEvent = Extract<FeedEvent, { type: `errlog.${string}` }>;
const isAboutErrlog = (event: FeedEvent): event is ErrlogEvent => event.type.startsWith('errlog.');

function applyEvents(state: ErrlogState, events: readonly FeedEvent[]): ErrlogState {
  const changed = new Map<number, ErrlogEntry>();
  const gone: ErrlogEntry[] = [];
  let added = 0;
  let missed = state.missed;
  for (const event of events) {
    if (event.type === 'resync') missed ||= event.data.of !== 'agent';
    if (!isAboutErrlog(event)) continue;
    const passing = matchesFilter(event.data, state.filter);
    if (passing === 'no') {
      // A shown row that no longer passes the filter: somebody resolved it.
      if (state.rows.has(event.data.id)) gone.push(event.data);
      continue;
    }
    // Only the server can decide; rows on the screen have passed already.
    if (passing === 'unknown' && !state.rows.has(event.data.id)) {
      missed = true;
      continue;
    }
    const known = changed.get(event.data.id) ?? state.waiting.get(event.data.id) ?? state.rows.get(event.data.id);
    // A list read in between contains the group and counts it.
    if (event.type === 'errlog.new' && known === undefined) added += 1;
    // An event may have fewer fields than a row.
    changed.set(event.data.id, { ...known, ...event.data });
  }
  if (gone.length > 0)
    return applyEvents(
      dropMismatches(state, gone),
      events.filter(({ data }) => !gone.includes(data as ErrlogEntry)),
    );
  if (changed.size === 0) return missed === state.missed ? state : { ...state, missed };
  const total = state.total === null ? null : state.total + added;
  let waiting: ReadonlyMap<number, ErrlogEntry> = new Map([...state.waiting, ...changed]);
  if (isFollowing(state)) return release({ ...state, total, waiting, missed });
  if (waiting.size > WAITING_MAX) {
    waiting = new Map([...waiting].slice(-WAITING_MAX));
    missed = true;
  }
  const next = { ...state, total, waiting, missed };
  if (state.paused) return next;
  const known = [...changed].filter(([id]) => state.rows.has(id));
  return known.length === 0 ? next : { ...next, rows: new Map([...state.rows, ...known]) };
}

/** Rows that no longer pass the filter: removed while following, else updated in place. */
function dropMismatches(state: ErrlogState, gone: readonly ErrlogEntry[]): ErrlogState {
  if (state.paused) return state;
  const rows = new Map(state.rows);
  if (!isFollowing(state)) {
    for (const entry of gone) rows.set(entry.id, { ...rows.get(entry.id), ...entry });
    return { ...state, rows };
  }
  for (const { id } of gone) rows.delete(id);
  const order = state.order.filter((id) => rows.has(id));
  const left = state.order.length - order.length;
  return { ...state, rows, order, total: state.total === null ? null : Math.max(0, state.total - left) };
}

function applyPage(state: ErrlogState, action: Extract<ErrlogAction, { type: 'loaded' }>): ErrlogState {
  const rows = new Map(action.rows.map((row) => [row.id, row]));
  // Only the server knows the first rows of an order other than by time.
  const byTime = isByTime(state.filter);
  const newest = byTime ? (action.rows[0]?.log_time ?? 0) : Number.POSITIVE_INFINITY;
  // Events that arrived before the answer can be newer than it.
  for (const [id, known] of [...state.rows, ...state.waiting]) {
    const answer = rows.get(id);
    if (answer === undefined ? known.log_time > newest : known.count > answer.count) rows.set(id, known);
  }
  const order = byTime ? sorted(rows) : action.rows.map(({ id }) => id);
  const { index } = locateCursor(state.cursor, order, 1);
  const id = state.cursor.id === null ? null : (order[index] ?? null);
  return {
    ...state,
    rows,
    order,
    total: action.total,
    atMs: action.atMs,
    failure: null,
    waiting: new Map(),
    missed: false,
    cursor: id === null ? AT_TOP : { id, index, line: state.cursor.line },
  };
}

/** Finds missed groups: the newest rows that are unknown or occurred again. */
function peek(state: ErrlogState, action: Extract<ErrlogAction, { type: 'peeked' }>): ErrlogState {
  const known = ({ id, count }: ErrlogEntry): boolean =>
    count <= (state.waiting.get(id) ?? state.rows.get(id) ?? { count: -1 }).count;
  const changed = action.rows.filter((row) => !known(row));
  return {
    ...state,
    total: action.total,
    waiting: new Map([...state.waiting, ...changed.map((row) => [row.id, row] as const)]),
    // A page without a known row does not reach down to the screen, and dropped groups are missing.
    missed: changed.length >= PAGE_ROWS || state.waiting.size >= WAITING_MAX,
  };
}

/** The state after an action. */
export function errlogReducer(state: ErrlogState, action: ErrlogAction): ErrlogState {
  switch (action.type) {
    case 'loaded':
      return applyPage(state, action);
    case 'loadedMore': {
      const fresh = action.rows.filter(({ id }) => !state.rows.has(id));
      return {
        ...state,
        rows: new Map([...state.rows, ...fresh.map((row) => [row.id, row] as const)]),
        order: [...state.order, ...fresh.map(({ id }) => id)],
        // An empty page is the end of the list.
        total: action.rows.length === 0 ? state.order.length + aheadBy(state) : action.total,
        // A page without new rows: the list has moved on the server.
        missed: state.missed || (action.rows.length > 0 && fresh.length === 0),
        failure: null,
      };
    }
    case 'peeked':
      return isFollowing(state) ? state : peek(state, action);
    case 'failed':
      return { ...state, failure: action.failure };
    case 'events':
      return applyEvents(state, action.events);
    case 'move': {
      const { index } = locateCursor(state.cursor, state.order, action.height);
      // Moving up from the first row inserts the waiting groups.
      if (action.by < 0 && index <= 0 && !state.paused && !state.reading) return release(state);
      return settle({ ...state, cursor: moveBy(state.cursor, state.order, action.height, action.by) }, action.height);
    }
    case 'moveTo':
      if (action.index <= 0 && !state.paused && !state.reading) return release(state);
      return settle(
        { ...state, cursor: moveTo(state.cursor, state.order, action.height, action.index) },
        action.height,
      );
    case 'follow':
      return release({ ...state, paused: false, reading: false });
    case 'pause':
      if (!state.paused) return { ...state, paused: true };
      return resume({ ...state, paused: false }, action.height);
    case 'read':
      if (action.open)
        return { ...state, reading: true, cursor: anchorCursor(state.cursor, state.order, action.height) };
      return settle({ ...state, reading: false }, action.height);
    case 'changed': {
      const known = action.rows.filter(({ id }) => state.rows.has(id));
      return { ...state, rows: new Map([...state.rows, ...known.map((row) => [row.id, row] as const)]) };
    }
    case 'filter': {
      const rows = new Map([...state.rows].filter(([, row]) => matchesFilter(row, action.filter) !== 'no'));
      // Filters the loaded rows at once; the server's answer follows.
      return {
        ...state,
        filter: action.filter,
        rows,
        order: isByTime(action.filter) ? sorted(rows) : [],
        total: null,
        waiting: new Map(),
        cursor: state.cursor.id !== null && rows.has(state.cursor.id) ? state.cursor : AT_TOP,
      };
    }
  }
}

/** Ends a pause: inserts everything at the top, elsewhere updates the rows that are shown. */
function resume(state: ErrlogState, height: number): ErrlogState {
  if (state.cursor.id === null) return release(state);
  const known = [...state.waiting].filter(([id]) => state.rows.has(id));
  return settle({ ...state, rows: new Map([...state.rows, ...known]) }, height);
}
