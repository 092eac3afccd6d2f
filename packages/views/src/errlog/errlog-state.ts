// The state of the error log: the loaded part of the list, waiting rows, and the selection. Pure.
//
// New rows arrive while people read. Following (the first row is the newest): they are inserted at once. Held (a row
// is selected, or details are open): rows keep their places, known ones get new counts, and new ones wait and are
// counted. Paused: nothing on the screen changes.
import type { ErrlogEntry, ErrlogPageMeta } from '@quarterdeck/sdk';
import type { Failure } from '../failures/failure.ts';
import { AT_TOP, type Cursor, type CursorPosition, type Extent, locateCursor } from '../lists/cursor.ts';
import type { FeedEvent } from '../live/feed.ts';
import { BLOCK_ROWS } from '../reads/row-window.ts';
import type { RangeBounds, TimeRange } from '../times/range.ts';
import { type ErrlogFilter, isByTime, NO_FILTER } from './errlog.ts';

export const PAGE_ROWS = BLOCK_ROWS;
/** The error log on the screen. */
export interface ErrlogState {
  readonly rows: ReadonlyMap<number, ErrlogEntry>;
  /** Ids of the loaded rows as shown, newest first. */
  readonly order: readonly number[];
  /** Index of the first loaded row in the list. */
  readonly start: number;
  /** Groups on the server that pass the filter; null before the first answer. */
  readonly total: number | null;
  /** More groups may pass than `total` counts, because the server stopped counting. */
  readonly capped: boolean;
  /** Completeness of the answer, and the reason of an empty one. */
  readonly meta: Partial<ErrlogPageMeta>;
  readonly atMs: number;
  readonly failure: Failure | null;
  readonly filter: ErrlogFilter;
  readonly range: TimeRange | null;
  /** The ends of the range when it was set. */
  readonly bounds: RangeBounds;
  readonly cursor: Cursor;
  readonly paused: boolean;
  /** The details are open. */
  readonly reading: boolean;
  /** Groups that occurred since, by id. */
  readonly waiting: ReadonlyMap<number, ErrlogEntry>;
  /** Time of the newest group that was read, Unix seconds. */
  readonly newestS: number;
  /** Waiting groups that are new: `total` counts them, the list does not. */
  readonly fresh: number;
  /** True when more occurred than is waiting. */
  readonly missed: boolean;
}

/** An action; `height` is the number of rows in view. */
export type ErrlogAction =
  | {
      readonly type: 'loaded';
      readonly rows: readonly ErrlogEntry[];
      readonly total: number;
      readonly capped?: boolean;
      readonly meta?: Partial<ErrlogPageMeta>;
      readonly atMs: number;
    }
  /** Rows at a place of the list; fewer than `asked` are the end of it. `replaces`: the other rows go. */
  | {
      readonly type: 'block';
      readonly rows: readonly ErrlogEntry[];
      readonly start: number;
      readonly asked: number;
      readonly total: number;
      readonly capped?: boolean;
      readonly height: number;
      readonly atMs: number;
      readonly replaces?: boolean;
    }
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
  | { readonly type: 'range'; readonly range: TimeRange | null; readonly nowS: number }
  /** Rows changed by this dashboard. */
  | { readonly type: 'changed'; readonly rows: readonly ErrlogEntry[] };

/** The state before the first answer. */
export const EMPTY: ErrlogState = {
  rows: new Map(),
  order: [],
  start: 0,
  total: null,
  capped: false,
  meta: {},
  atMs: 0,
  failure: null,
  filter: NO_FILTER,
  range: null,
  bounds: {},
  cursor: AT_TOP,
  paused: false,
  reading: false,
  waiting: new Map(),
  fresh: 0,
  newestS: 0,
  missed: false,
};

/** True while new groups appear at once. */
export const isFollowing = (state: ErrlogState): boolean => !state.paused && !state.reading && state.cursor.id === null;

/** New groups above the list: the offset between the server's list and this one. */
export const aheadBy = ({ filter, fresh }: ErrlogState): number => (isByTime(filter) ? fresh : 0);

/** Place of the loaded rows in the list, without the groups that wait above it. */
export function extentOf(state: ErrlogState): Extent {
  const { start, order, total } = state;
  return { start, length: Math.max(start + order.length, (total ?? 0) - aheadBy(state)) };
}

/** Finds the selection in the list. */
export const locate = (state: ErrlogState, height: number): CursorPosition =>
  locateCursor(state.cursor, state.order, height, extentOf(state));
