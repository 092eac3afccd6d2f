// The state of the lines: loaded rows with the oldest first, waiting lines, and the selection. Pure.
//
// New lines arrive while people read. Following (the last row is the newest): they are appended at once. Held (another
// row is selected, or details are open): rows keep their places, and new lines wait and are counted. Paused: nothing on
// the screen changes. The number of loaded rows is bounded: rows far from the selection are removed and read again.
import type { Line, LinePage } from '@quarterdeck/sdk';
import type { Failure } from '../failures/failure.ts';
import type { Cursor } from '../lists/cursor.ts';
import type { FeedEvent } from '../live/feed.ts';
import { type LineShape, NO_SHAPE } from './line-fields.ts';
import type { LineRow } from './line-rows.ts';
import type { LineQuery } from './lines.ts';

/** The place of older lines: behind a cursor, of lines up to a time. */
export interface OlderPlace {
  readonly before?: string;
  readonly end_time?: number;
}

/**
 * The lines after the last row. `live`: waiting and new lines. `unknown`: lines that are not loaded, with no cursor.
 * `after`: the cursor of lines that were removed.
 */
export type Newer = 'live' | 'unknown' | { readonly after: string };

/** The lines on the screen. */
export interface LinesState {
  readonly query: LineQuery;
  /** Oldest first. */
  readonly rows: readonly LineRow[];
  /** Null when the oldest line is loaded. */
  readonly older: OlderPlace | null;
  readonly newer: Newer;
  /** Cursors of the lines after some rows. */
  readonly edges: ReadonlyMap<number, string>;
  /** Null: the last row. */
  readonly cursor: Cursor | null;
  readonly paused: boolean;
  /** The details are open, or the lines around one are shown. */
  readonly reading: boolean;
  /** The last lines that arrived since. */
  readonly waiting: readonly Line[];
  readonly waitingCount: number;
  /** Lines that the stream left out between the loaded rows. */
  readonly missed: number;
  /** Of the last answer; null before the first one. */
  readonly meta: LinePage['meta'] | null;
  readonly atMs: number;
  readonly failure: Failure | null;
  readonly shape: LineShape;
  /** Number of reads of the newest lines that were asked for. */
  readonly reads: number;
  /** Time down to which older lines are read, Unix seconds: 0 for the oldest line. Null: none is sought. */
  readonly seekS: number | null;
  /** Rows by which a count goes beyond the first loaded row, which are moved once older lines are read. */
  readonly owed: number;
}

/** An action; `height` is the number of rows in view. */
export type LinesAction =
  | { readonly type: 'reset'; readonly query: LineQuery }
  | { readonly type: 'loaded'; readonly page: LinePage; readonly atMs: number }
  | { readonly type: 'loadedOlder'; readonly place: OlderPlace; readonly page: LinePage }
  | { readonly type: 'loadedNewer'; readonly page: LinePage }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'events'; readonly events: readonly FeedEvent[] }
  | { readonly type: 'move'; readonly by: number; readonly height: number }
  | { readonly type: 'moveTo'; readonly index: number; readonly height: number }
  | { readonly type: 'follow' | 'refresh' | 'oldest' }
  | { readonly type: 'goTo'; readonly timeS: number }
  | { readonly type: 'pause' }
  | { readonly type: 'read'; readonly open: boolean; readonly height: number };

/** The state before the first answer. */
export const EMPTY: LinesState = {
  query: {},
  rows: [],
  older: null,
  newer: 'live',
  edges: new Map(),
  cursor: null,
  paused: false,
  reading: false,
  waiting: [],
  waitingCount: 0,
  missed: 0,
  meta: null,
  atMs: 0,
  failure: null,
  shape: NO_SHAPE,
  reads: 0,
  seekS: null,
  owed: 0,
};

/** True while new lines appear at once. */
export const isFollowing = ({ paused, reading, cursor, newer, meta }: LinesState): boolean =>
  !paused && !reading && cursor === null && newer === 'live' && meta !== null;

/** The selection as the list takes it. */
export function cursorOf({ cursor, rows }: LinesState, height: number): Cursor {
  const last = rows.at(-1);
  return cursor ?? { id: last?.id ?? null, index: rows.length - 1, line: height - 1 };
}
