// Changes of the loaded lines. Pure.
import type { Line, LinePage } from '@quarterdeck/sdk';
import type { Failure } from '@quarterdeck/views/failures';
import type { LinesQuery } from './lines-query.ts';

export interface LinesState {
  /** The query that they are of; undefined before the first read. */
  readonly of: LinesQuery | undefined;
  /** Newest first. */
  readonly lines: readonly Line[];
  /** New lines that wait while the list is held, newest first. */
  readonly waiting: readonly Line[];
  readonly isHeld: boolean;
  /** Lines that came too fast to be shown. */
  readonly missed: number;
  /** Place of older lines; null where none are left, or none are known yet. */
  readonly before: string | null;
  readonly isComplete: boolean;
  /** Time of the first read, Unix milliseconds; undefined before it. */
  readonly atMs: number | undefined;
  readonly failure: Failure | undefined;
  /** Number of the read. */
  readonly turn: number;
}

/** A change of the lines. */
export type LinesAction =
  | { readonly type: 'started'; readonly of: LinesQuery }
  | {
      readonly type: 'read';
      readonly lines: readonly Line[];
      readonly meta: LinePage['meta'];
      readonly atMs: number;
    }
  | {
      readonly type: 'older';
      readonly of: LinesQuery;
      readonly before: string;
      readonly lines: readonly Line[];
      readonly meta: LinePage['meta'];
    }
  | { readonly type: 'arrived'; readonly lines: readonly Line[]; readonly missed: number }
  | { readonly type: 'hold'; readonly isHeld: boolean }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'refresh' };

/** Lines kept while they arrive: a page that is open for hours does not grow. */
export const LIVE_MAX = 5_000;
/** Lines kept while somebody reads towards the past. */
const LINES_MAX = 100_000;

export const EMPTY_LINES: LinesState = {
  of: undefined,
  lines: [],
  waiting: [],
  isHeld: false,
  missed: 0,
  before: null,
  isComplete: true,
  atMs: undefined,
  failure: undefined,
  turn: 0,
};

/** Puts new lines before others, each once. */
function merged(fresh: readonly Line[], known: readonly Line[]): Line[] {
  const ids = new Set(known.slice(0, fresh.length + LIVE_MAX).map(({ id }) => id));
  return [...fresh.filter(({ id }) => !ids.has(id)), ...known];
}

/** Keeps the newest lines. Those that are cut off are read again from their place in time, when somebody scrolls. */
const bounded = (state: LinesState, lines: readonly Line[]): LinesState =>
  lines.length <= LIVE_MAX || lines.length <= state.lines.length
    ? { ...state, lines }
    : { ...state, lines: lines.slice(0, LIVE_MAX), before: null };

export function linesReducer(state: LinesState, action: LinesAction): LinesState {
  switch (action.type) {
    case 'started': {
      // The same lines are read again: they stay until the answer is there.
      if (action.of === state.of) return state;
      return { ...EMPTY_LINES, of: action.of, turn: state.turn };
    }
    case 'read': {
      const { lines, meta, atMs } = action;
      return { ...state, lines, before: meta.before, isComplete: meta.complete, atMs, failure: undefined };
    }
    case 'older': {
      if (action.of !== state.of || action.before !== state.before) return state;
      const lines = [...state.lines, ...action.lines];
      const isFull = lines.length >= LINES_MAX;
      const isComplete = state.isComplete && action.meta.complete;
      return { ...state, lines, isComplete, before: isFull ? null : action.meta.before, failure: undefined };
    }
    case 'arrived': {
      const missed = state.missed + action.missed;
      if (!state.isHeld) return { ...bounded(state, merged(action.lines, state.lines)), missed };
      return { ...state, missed, waiting: merged(action.lines, state.waiting).slice(0, LIVE_MAX) };
    }
    case 'hold': {
      if (action.isHeld) return { ...state, isHeld: true };
      return { ...bounded(state, merged(state.waiting, state.lines)), waiting: [], isHeld: false };
    }
    case 'failed':
      return { ...state, failure: action.failure };
    case 'refresh':
      return { ...state, turn: state.turn + 1 };
  }
}
