// Changes of the error log's state: answers, events, moves. Pure.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { AT_TOP, anchorCursor, fromTop, moveBy, moveTo, UNLOADED } from '../lists/cursor.ts';
import type { FeedEvent } from '../live/feed.ts';
import { joinBlock, WINDOW_MAX } from '../reads/row-window.ts';
import { rangeBounds } from '../times/range.ts';
import { isByTime, matchesFilter, rowsBeforeAnswer } from './errlog.ts';
import { eventsInRange, keepRange } from './errlog-range.ts';
import {
  aheadBy,
  EMPTY,
  type ErrlogAction,
  type ErrlogState,
  extentOf,
  isFollowing,
  locate,
  PAGE_ROWS,
} from './errlog-state.ts';

/** Most waiting groups; with more, the list is read again instead. */
const WAITING_MAX = 2_000;

/** Ids with the newest first, as on the server. */
function sorted(rows: ReadonlyMap<number, ErrlogEntry>): number[] {
  return [...rows.values()].sort((a, b) => b.log_time - a.log_time || b.id - a.id).map(({ id }) => id);
}

const NOTHING_WAITS = { waiting: new Map<number, ErrlogEntry>(), fresh: 0 };

/** Inserts all waiting groups and goes to the top. */
function release(state: ErrlogState): ErrlogState {
  // The first rows are not loaded; they are read with the waiting groups.
  if (state.start > 0) return { ...state, rows: new Map(), order: [], start: 0, ...NOTHING_WAITS, cursor: AT_TOP };
  if (!isByTime(state.filter)) {
    const known = [...state.waiting].filter(([id]) => state.rows.has(id));
    return { ...state, rows: new Map([...state.rows, ...known]), ...NOTHING_WAITS, cursor: AT_TOP };
  }
  const rows = new Map([...state.rows, ...state.waiting]);
  // Groups below the last loaded row are read when the user scrolls there.
  const last = state.rows.get(state.order.at(-1) ?? Number.NaN);
  const isWhole = state.total !== null && state.order.length >= state.total;
  const order = sorted(rows)
    .filter(
      (id) => isWhole || last === undefined || state.rows.has(id) || (rows.get(id)?.log_time ?? 0) >= last.log_time,
    )
    .slice(0, WINDOW_MAX);
  const kept = new Set(order);
  for (const id of rows.keys()) if (!kept.has(id)) rows.delete(id);
  return { ...state, rows, order, ...NOTHING_WAITS, cursor: AT_TOP };
}

/** Follows again from the first row when nothing waits. */
function settle(state: ErrlogState, height: number): ErrlogState {
  if (state.paused || state.reading || state.waiting.size > 0 || state.missed) return state;
  return locate(state, height).index <= 0 ? { ...state, cursor: AT_TOP } : state;
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
    // An event counts one source, and a row of several their sum.
    if (state.filter.rollup === true) {
      missed = true;
      continue;
    }
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
  const fresh = state.fresh + added;
  let waiting: ReadonlyMap<number, ErrlogEntry> = new Map([...state.waiting, ...changed]);
  if (isFollowing(state)) return release({ ...state, total, waiting, missed, fresh });
  if (waiting.size > WAITING_MAX) {
    waiting = new Map([...waiting].slice(-WAITING_MAX));
    missed = true;
  }
  const next = { ...state, total, waiting, missed, fresh };
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
    const isNewer = answer === undefined ? known.log_time > newest : known.count > answer.count;
    if (isNewer && (answer !== undefined || matchesFilter(known, state.filter) !== 'unknown')) rows.set(id, known);
  }
  const order = byTime ? sorted(rows) : action.rows.map(({ id }) => id);
  const next = {
    ...state,
    rows,
    order,
    start: 0,
    total: action.total,
    capped: action.capped === true,
    meta: action.meta ?? {},
    ...NOTHING_WAITS,
  };
  const { index } = locate(next, 1);
  const id = order[index] ?? UNLOADED;
  return {
    ...next,
    atMs: action.atMs,
    newestS: action.rows[0]?.log_time ?? 0,
    failure: null,
    missed: false,
    cursor: state.cursor.id === null ? AT_TOP : { id, index, line: state.cursor.line },
  };
}

/** Adds rows at their place. A selection that waited for its row gets it. */
function applyBlock(state: ErrlogState, action: Extract<ErrlogAction, { type: 'block' }>): ErrlogState {
  const { rows: added, start: from, asked, height, atMs, replaces = false } = action;
  const joined = joinBlock(
    { rows: replaces ? [] : state.order, start: state.start },
    { rows: added.map(({ id }) => id), start: from },
    (id) => id,
  );
  const order = joined.rows;
  const answered = new Map(added.map((row) => [row.id, row]));
  const rows = new Map(order.flatMap((id) => entryOf(id, answered, state.rows)));
  const isEnd = added.length < asked;
  // An empty block is the end of a list that has become shorter.
  const length = isEnd ? from + added.length : action.total - aheadBy(state);
  const start = added.length === 0 ? state.start : joined.start;
  const next = {
    ...state,
    ...(added.length === 0 ? {} : { rows, order }),
    start,
    total: Math.max(0, length) + aheadBy(state),
    capped: !isEnd && action.capped === true,
    failure: null,
    atMs,
  };
  if (state.cursor.id === null) return next;
  return { ...next, cursor: anchorCursor(state.cursor, next.order, height, extentOf(next)) };
}

/** The newer of a row that was read and the same row as events have changed it. */
function entryOf(
  id: number,
  answered: ReadonlyMap<number, ErrlogEntry>,
  known: ReadonlyMap<number, ErrlogEntry>,
): [number, ErrlogEntry][] {
  const [answer, before] = [answered.get(id), known.get(id)];
  const entry = answer === undefined || (before !== undefined && before.count > answer.count) ? before : answer;
  return entry === undefined ? [] : [[id, entry]];
}

/** Finds missed groups: the newest rows that are unknown or occurred again. */
function peek(state: ErrlogState, action: Extract<ErrlogAction, { type: 'peeked' }>): ErrlogState {
  const known = ({ id, count, log_time }: ErrlogEntry): boolean => {
    const before = state.waiting.get(id) ?? state.rows.get(id);
    // While the first rows are not loaded, only their time tells which ones are new.
    if (before === undefined) return state.start > 0 && log_time <= state.newestS;
    return count <= before.count;
  };
  const changed = action.rows.filter((row) => !known(row));
  return {
    ...state,
    total: action.total,
    newestS: Math.max(state.newestS, action.rows[0]?.log_time ?? 0),
    fresh: Math.max(0, state.fresh + action.total - (state.total ?? action.total)),
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
    case 'block':
      return applyBlock(state, action);
    case 'peeked':
      return isFollowing(state) ? state : peek(state, action);
    case 'failed':
      return { ...state, failure: action.failure };
    case 'events':
      return applyEvents(...eventsInRange(state, action.events));
    case 'move': {
      const { index } = locate(state, action.height);
      // Moving up from the first row inserts the waiting groups.
      if (action.by < 0 && index <= 0 && !state.paused && !state.reading) return release(state);
      const { cursor, order } = state;
      const moved = moveBy(cursor, order, action.height, action.by, extentOf(state));
      return settle({ ...state, cursor: moved }, action.height);
    }
    case 'moveTo': {
      if (action.index <= 0 && !state.paused && !state.reading) return release(state);
      const { cursor, order } = state;
      const moved = moveTo(cursor, order, action.height, action.index, extentOf(state));
      return settle({ ...state, cursor: moved }, action.height);
    }
    case 'follow':
      return release({ ...state, paused: false, reading: false });
    case 'pause':
      if (!state.paused) return { ...state, paused: true };
      return resume({ ...state, paused: false }, action.height);
    case 'read':
      if (action.open)
        return {
          ...state,
          reading: true,
          cursor: anchorCursor(state.cursor, state.order, action.height, extentOf(state)),
        };
      return settle({ ...state, reading: false }, action.height);
    case 'changed': {
      const known = action.rows.filter(({ id }) => state.rows.has(id));
      const kept = known.map((row) => [row.id, keepRange(row, state.rows.get(row.id))] as const);
      return { ...state, rows: new Map([...state.rows, ...kept]) };
    }
    case 'range': {
      const { range, nowS } = action;
      const { filter, paused, reading } = state;
      const cursor = reading ? fromTop(state.cursor) : AT_TOP;
      // Only the server knows the rows and counts of another range.
      return { ...EMPTY, filter, paused, reading, cursor, range, bounds: rangeBounds(range, nowS) };
    }
    case 'filter': {
      // Filters the loaded rows at once; the server's answer follows.
      const rows = rowsBeforeAnswer(state.rows, action.filter, state.filter);
      return {
        ...state,
        filter: action.filter,
        rows,
        order: isByTime(action.filter) ? sorted(rows) : [],
        start: 0,
        total: null,
        capped: false,
        ...NOTHING_WAITS,
        // A row far down has another place then, which only the server knows.
        cursor: state.start === 0 && rows.has(state.cursor.id ?? UNLOADED) ? fromTop(state.cursor) : AT_TOP,
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
