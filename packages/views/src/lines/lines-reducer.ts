// Changes of the state of the lines. Pure, except that new rows are numbered.
import type { Line, LinePage } from '@quarterdeck/sdk';
import { anchorCursor, locateCursor, moveTo } from '../lists/cursor.ts';
import type { FeedEvent } from '../live/feed.ts';
import { growShape, NO_SHAPE } from './line-fields.ts';
import { appendLines, joinNewest, type LineRow, prependLines } from './line-rows.ts';
import { cursorOf, EMPTY, isFollowing, type LinesAction, type LinesState, type OlderPlace } from './lines-state.ts';

/** Rows kept while following; scrolling up reads older ones again. */
export const FOLLOWED_ROWS = 1_000;
/** Rows kept at most. */
export const ROWS_MAX = 5_000;
/** Waiting lines kept at most; they are counted beyond that. */
export const WAITING_MAX = 1_000;

const idsOf = (rows: readonly LineRow[]): number[] => rows.map(({ id }) => id);

/** Removes the oldest rows beyond a number. Older lines are then read up to the time of the oldest row. */
function trimOldest(state: LinesState, most: number): LinesState {
  const { rows } = state;
  const first = rows.at(-most);
  if (rows.length <= most || first === undefined) return state;
  return { ...state, rows: rows.slice(-most), older: { end_time: Math.ceil(first.line.time) }, edges: new Map() };
}

/** Removes the newest rows beyond the maximum, at a place where newer lines can be read again. */
function trimNewest(state: LinesState): LinesState {
  const { rows, edges } = state;
  if (rows.length <= ROWS_MAX) return state;
  const edge = rows.slice(0, ROWS_MAX).findLastIndex(({ id }) => edges.has(id));
  const after = edges.get(rows[edge]?.id ?? 0);
  const kept = rows.slice(0, after === undefined ? ROWS_MAX : edge + 1);
  return { ...state, rows: kept, newer: after === undefined ? 'unknown' : { after }, waiting: [] };
}

/** Appends lines; while following, the oldest rows make room. */
function append(state: LinesState, lines: readonly Line[]): LinesState {
  const rows = appendLines(state.rows, lines);
  const shape = rows === state.rows ? state.shape : growShape(state.shape, lines);
  return trimOldest({ ...state, rows, shape }, state.cursor === null ? FOLLOWED_ROWS : ROWS_MAX);
}

/** Appends the waiting lines. */
const release = (state: LinesState): LinesState =>
  append({ ...state, waiting: [], waitingCount: 0 }, state.newer === 'live' ? state.waiting : []);

/** Goes to the newest line and follows; reads it again where lines are missing in between. */
function follow(state: LinesState): LinesState {
  const next = { ...state, paused: false, reading: false, cursor: null, seekS: null, owed: 0 };
  return state.newer === 'live' ? release(next) : { ...next, reads: state.reads + 1 };
}

function applyEvents(state: LinesState, events: readonly FeedEvent[]): LinesState {
  const lines = events.flatMap((event) => (event.type === 'line' ? event.data : []));
  const missed = events.reduce((sum, event) => sum + (event.type === 'line.missed' ? event.data.count : 0), 0);
  const isRestart = events.some((event) => event.type === 'resync' && event.data.of === 'all');
  if (isFollowing(state)) {
    const next = append({ ...state, missed: state.missed + missed }, lines);
    return isRestart ? { ...next, reads: next.reads + 1 } : next;
  }
  const all = [...state.waiting, ...lines];
  const isWhole = all.length <= WAITING_MAX && missed === 0 && !isRestart;
  return {
    ...state,
    reads: isRestart && !state.paused ? state.reads + 1 : state.reads,
    waiting: all.slice(-WAITING_MAX),
    waitingCount: state.waitingCount + lines.length + missed,
    newer: state.newer === 'live' && !isWhole ? 'unknown' : state.newer,
  };
}

/** Takes the newest lines. Where lines are missing between them and the rows, only a list at its end goes there. */
function applyNewest(state: LinesState, action: Extract<LinesAction, { type: 'loaded' }>): LinesState {
  const {
    page: { data: lines, meta },
    atMs,
  } = action;
  const isWhole = state.missed === 0;
  const known = state.meta === null ? [] : state.rows;
  const joined = joinNewest(known, lines, isWhole);
  const answered = { ...state, meta, atMs, failure: null };
  if (known.length > 0 && !joined.overlaps && state.cursor !== null) return { ...answered, newer: 'unknown' };
  const keeps = joined.overlaps && isWhole;
  const seen = new Set(keeps ? known : []);
  const fresh = joined.rows.flatMap((row) => (seen.has(row) ? [] : [row.line]));
  const next: LinesState = {
    ...answered,
    rows: joined.rows,
    shape: growShape(keeps ? state.shape : NO_SHAPE, fresh),
    older: keeps ? state.older : placeBefore(meta.before),
    edges: keeps ? state.edges : new Map(),
    newer: 'live',
    waiting: [],
    waitingCount: 0,
    missed: 0,
  };
  const newest = lines[0]?.time ?? 0;
  return append(
    next,
    state.waiting.filter(({ time }) => time >= newest),
  );
}

const placeBefore = (before: string | null, place: OlderPlace = {}): OlderPlace | null =>
  before === null ? null : { ...place, before };

function applyOlder(state: LinesState, action: Extract<LinesAction, { type: 'loadedOlder' }>): LinesState {
  const { place, page } = action;
  const { data: lines, meta } = page;
  // Meanwhile the list was read again.
  if (state.older !== place) return state;
  const rows = prependLines(lines, state.rows);
  const edges = new Map(state.edges);
  const newest = rows[rows.length - state.rows.length - 1];
  // A cursor belongs to one filter, so that of a page up to a time is not used without the time.
  if (meta.after !== null && newest !== undefined && place.end_time === undefined) edges.set(newest.id, meta.after);
  const next = { ...state, rows, edges, meta, failure: null, older: placeBefore(meta.before, place) };
  const grown = { ...next, shape: growShape(state.shape, lines) };
  return trimNewest(state.seekS === null ? payOwed(grown) : seek(grown, state.seekS));
}

/** Moves on to older rows as far as a count asks. The selection is still on the row that was the first one. */
function payOwed(state: LinesState): LinesState {
  const { owed, cursor, rows, older } = state;
  if (owed === 0) return state;
  const at = rows.findIndex(({ id }) => id === cursor?.id) - owed;
  const index = Math.max(0, at);
  const row = rows[index];
  if (row === undefined) return { ...state, owed: 0 };
  const left = at < 0 && older !== null ? -at : 0;
  return { ...state, owed: left, cursor: { id: row.id, index, line: 3 } };
}

/** Moves the selection by some rows, beyond the loaded ones too. */
function move(state: LinesState, by: number, height: number): LinesState {
  const { index } = locateCursor(cursorOf(state, height), idsOf(state.rows), height);
  const target = index - state.owed + by;
  const next = select(state, target, height);
  return target < 0 && next.older !== null && next.rows.length > 0 ? { ...next, owed: -target } : next;
}

/** Selects the last line at a time or before it, or the first loaded one while older lines are still to be read. */
function seek(state: LinesState, timeS: number): LinesState {
  const { rows, older } = state;
  const found = rows.findLastIndex(({ line }) => line.time <= timeS);
  const index = Math.max(0, found);
  const row = rows[index];
  if (row === undefined) return state;
  const isReached = older === null || found !== -1;
  // Some lines before it stay in view.
  return { ...state, cursor: { id: row.id, index, line: 3 }, seekS: isReached ? null : timeS };
}

function applyNewer(state: LinesState, { data: lines, meta: { after } }: LinePage): LinesState {
  const { waiting, waitingCount } = state;
  const next = append({ ...state, waiting: [], newer: after === null ? 'live' : { after } }, lines.toReversed());
  const last = next.rows.at(-1);
  if (after !== null) {
    if (last === undefined) return next;
    return { ...next, waiting, waitingCount, edges: new Map([...next.edges, [last.id, after]]) };
  }
  return append({ ...next, waitingCount: 0 }, waiting);
}

/** Asks for the lines that the stream left out once the list stops following. */
const readsMissed = ({ reads, missed, cursor }: LinesState): number =>
  missed > 0 && cursor === null ? reads + 1 : reads;

function select(state: LinesState, index: number, height: number): LinesState {
  const { rows, newer, paused, reading } = state;
  const still = { ...state, seekS: null, owed: 0, reads: readsMissed(state) };
  if (index >= rows.length - 1 && newer === 'live' && !paused && !reading) return follow(state);
  return { ...still, cursor: moveTo(cursorOf(state, height), idsOf(rows), height, index) };
}

/** Anchors the selection where details open; follows again where they closed on the last row. */
function read(state: LinesState, open: boolean, height: number): LinesState {
  if (state.reading === open) return state;
  const ids = idsOf(state.rows);
  if (open) {
    const cursor = anchorCursor(cursorOf(state, height), ids, height);
    return { ...state, reading: true, cursor, reads: readsMissed(state) };
  }
  const next = { ...state, reading: false };
  const { index } = locateCursor(cursorOf(state, height), ids, height);
  return index === ids.length - 1 && !state.paused && state.newer === 'live' ? follow(next) : next;
}

/** Goes to a time. Lines after the loaded ones are not sought one by one. */
function goTo(state: LinesState, timeS: number): LinesState {
  const last = state.rows.at(-1);
  const isBeyond = last !== undefined && last.line.time < timeS;
  return isBeyond ? follow(state) : seek({ ...state, owed: 0, reads: readsMissed(state) }, timeS);
}

/** The state after an action. */
export function linesReducer(state: LinesState, action: LinesAction): LinesState {
  switch (action.type) {
    case 'reset':
      // The rows stay until the answer, so that the screen does not flicker.
      return {
        ...EMPTY,
        query: action.query,
        rows: state.rows,
        shape: state.shape,
        reads: state.reads,
        reading: state.reading,
      };
    case 'loaded':
      return applyNewest(state, action);
    case 'loadedOlder':
      return applyOlder(state, action);
    case 'loadedNewer':
      return applyNewer(state, action.page);
    case 'failed':
      return { ...state, failure: action.failure };
    case 'events':
      return applyEvents(state, action.events);
    case 'move':
      return move(state, action.by, action.height);
    case 'moveTo':
      return select(state, action.index, action.height);
    case 'follow':
      return follow(state);
    case 'refresh':
      return { ...state, reads: state.reads + 1 };
    case 'oldest':
      return seek({ ...state, owed: 0 }, 0);
    case 'goTo':
      return goTo(state, action.timeS);
    case 'pause':
      if (!state.paused) return { ...state, paused: true };
      return state.cursor === null ? follow(state) : { ...state, paused: false };
    case 'read':
      return read(state, action.open, action.height);
  }
}
