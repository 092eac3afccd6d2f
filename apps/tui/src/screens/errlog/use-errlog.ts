// Reads the error log: the first page, the rows in view, again after a failure, and the events of the stream.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import {
  aheadBy,
  EMPTY,
  type ErrlogAction,
  type ErrlogFilter,
  type ErrlogState,
  errlogReducer,
  extentOf,
  isFollowing,
  listErrlog,
  locate,
  PAGE_ROWS,
} from '@quarterdeck/views/errlog';
import { failureOf } from '@quarterdeck/views/failures';
import { useEvents } from '@quarterdeck/views/react';
import { BLOCK_ROWS, neededBlock, retryDelayMs, WINDOW_MAX } from '@quarterdeck/views/reads';
import { rangeBounds } from '@quarterdeck/views/times';
import { type Dispatch, useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';

/** Shortest interval between automatic reads, milliseconds. */
const REREAD_MS = 1_000;
/** The same for a search or with the sources together, which cost the server more. */
const COSTLY_AGAIN_MS = 5_000;
/** The same while the screen is not visible; becoming visible, it is read at once. */
const HIDDEN_AGAIN_MS = 10_000;
/** Interval in which the start of the range `last` moves, milliseconds. */
const MOVE_MS = 60_000;
/** Delay before a failed peek is retried, milliseconds. */
const RETRY_MS = 5_000;

/** The error log and its actions. */
export interface ErrlogModel {
  readonly state: ErrlogState;
  readonly mover: { readonly by: (delta: number) => void; readonly to: (index: number) => void };
  readonly refresh: () => void;
  readonly follow: () => void;
  readonly pause: () => void;
  readonly filter: (filter: ErrlogFilter) => void;
  readonly setReading: (open: boolean) => void;
  /** Takes rows that this dashboard changed. */
  readonly changed: (rows: readonly ErrlogEntry[]) => void;
}

/** The state, and the parts that all reads share. */
interface Reads {
  readonly state: ErrlogState;
  readonly dispatch: Dispatch<ErrlogAction>;
  readonly list: (start: number, end: number, signal: AbortSignal) => ReturnType<typeof listErrlog>;
  /** Reports an error; returns true for one that a retry may solve. */
  readonly report: (error: unknown) => boolean;
  /** Number of the read; a new one starts the next read. */
  readonly turn: number;
  readonly refresh: () => void;
}

function useReads(): Reads {
  const { client, fail, range, now } = useDashboard();
  const [state, dispatch] = useReducer(errlogReducer, EMPTY);
  const [turn, setTurn] = useState(0);
  const { filter } = state;
  // No frame shows the rows of another range.
  if (state.range !== range) dispatch({ type: 'range', range, nowS: Math.floor(now() / 1000) });
  const list = useCallback(
    (start: number, end: number, signal: AbortSignal) => {
      const query = { ...filter, ...rangeBounds(range, Math.floor(now() / 1000)) };
      return listErrlog(client, query, { start, end }, signal);
    },
    [client, filter, range, now],
  );
  const report = useCallback(
    (error: unknown): boolean => {
      const failure = failureOf(error);
      fail(error);
      dispatch({ type: 'failed', failure });
      return failure.kind === 'unreachable';
    },
    [fail],
  );
  return { state, dispatch, list, report, turn, refresh: useCallback(() => setTurn((n) => n + 1), []) };
}

/** Reads the newest rows: as many as are loaded, so that a new read removes none of them; elsewhere those in view. */
function useFirstRows({ state, dispatch, list, report, turn, refresh }: Reads, height: number): void {
  const { ahead, online, range, now } = useDashboard();
  const failures = useRef(0);
  const loaded = Math.ceil(state.order.length / PAGE_ROWS) * PAGE_ROWS;
  const rows = Math.min(WINDOW_MAX, Math.max(PAGE_ROWS, loaded));
  const wanted = useRef({ from: 0, rows, aheadBy: 0, height });
  wanted.current = { from: state.start, rows, aheadBy: aheadBy(state), height };
  useEffect(() => {
    if (!online) return;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const { from, rows: asked, aheadBy: offset, height: inView } = wanted.current;
    const early = from === 0 && range === null ? ahead.take('errlog', asked) : undefined;
    const first = from === 0 ? 0 : from + offset;
    (early ?? list(first, first + asked, controller.signal))
      .then(({ data, meta }) => {
        // An answer that was read ahead cannot be aborted, and may be older than the filter.
        if (controller.signal.aborted) return;
        failures.current = 0;
        const shared = { rows: data, total: meta.count, capped: meta.capped === true, atMs: now() };
        if (from === 0) dispatch({ type: 'loaded', meta, ...shared });
        else dispatch({ type: 'block', start: from, asked, height: inView, replaces: true, ...shared });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        if (report(error)) timer = setTimeout(refresh, retryDelayMs(failures.current++));
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [list, ahead, online, range, now, dispatch, report, refresh, turn]);
}

/** Reads the block that the rows in view need, wherever they are; a failed one is tried again. */
function useRowsInView({ state, dispatch, list, report, turn }: Reads, height: number): void {
  const { online, now } = useDashboard();
  const [attempt, setAttempt] = useState(0);
  const failures = useRef(0);
  const { start, length } = extentOf(state);
  const { offset } = locate(state, height);
  const isEmpty = state.order.length === 0;
  // The next block counts on where the server stopped counting.
  const known = { start, end: start + state.order.length, length: length + (state.capped ? BLOCK_ROWS : 0) };
  const block = state.total === null ? null : neededBlock(known, { offset, height });
  const { from, to } = block ?? { from: -1, to: -1 };
  const shift = useRef(0);
  shift.current = aheadBy(state);
  // Each attempt and each refresh reads again
  useEffect(() => {
    if (from === -1 || !online) return;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    list(from + shift.current, to + shift.current, controller.signal)
      .then(({ data, meta }) => {
        if (controller.signal.aborted) return;
        failures.current = 0;
        const shared = { rows: data, total: meta.count, capped: meta.capped === true, atMs: now() };
        if (from === 0 && isEmpty) dispatch({ type: 'loaded', ...shared });
        else dispatch({ type: 'block', start: from, asked: to - from, height, ...shared });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        report(error);
        timer = setTimeout(() => setAttempt((n) => n + 1), retryDelayMs(failures.current++));
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [list, from, to, isEmpty, height, online, now, dispatch, report, turn, attempt]);
}

/** Reads what the event stream left out: again while following, else without changing the screen. */
function useMissedRows({ state, dispatch, list, refresh }: Reads, visible: boolean): void {
  const { online, now } = useDashboard();
  const { atMs, missed, filter } = state;
  const isCostly = filter.filter !== undefined || filter.rollup === true;
  const rereadMs = isCostly ? COSTLY_AGAIN_MS : REREAD_MS;
  const following = isFollowing(state);
  // A peek changes no row, so it does not count as a read of the list.
  const peekedAtMs = useRef(0);
  // A storm of errors asks for one read after the other; the list need not follow each of them.
  useEffect(() => {
    if (!missed || !online) return;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const peek = (): void => {
      peekedAtMs.current = now();
      list(0, PAGE_ROWS, controller.signal)
        .then(({ data, meta }) => dispatch({ type: 'peeked', rows: data, total: meta.count }))
        .catch(() => {
          // The screen keeps its rows.
          if (!controller.signal.aborted) timer = setTimeout(peek, RETRY_MS);
        });
    };
    const waitMs = Math.max(0, Math.min(rereadMs, Math.max(atMs, peekedAtMs.current) + rereadMs - now()));
    timer = setTimeout(following ? refresh : peek, visible ? waitMs : HIDDEN_AGAIN_MS);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [missed, following, online, visible, list, dispatch, atMs, rereadMs, now, refresh]);
}

/** Reads again once a minute while the list follows a range that moves with the time: old rows leave it. */
function useMovingRange({ state, refresh }: Reads): void {
  const { online, range } = useDashboard();
  const isMoving = online && range?.kind === 'last' && isFollowing(state);
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(refresh, MOVE_MS);
    return () => clearInterval(timer);
  }, [isMoving, refresh]);
}

/** The error log in a table of `height` rows. */
export function useErrlog(height: number, visible: boolean): ErrlogModel {
  const reads = useReads();
  useFirstRows(reads, height);
  useRowsInView(reads, height);
  useMissedRows(reads, visible);
  useMovingRange(reads);
  const { state, dispatch, refresh } = reads;
  useEvents((events) => dispatch({ type: 'events', events }));
  return {
    state,
    mover: {
      by: (by) => dispatch({ type: 'move', by, height }),
      to: (index) => dispatch({ type: 'moveTo', index, height }),
    },
    refresh,
    follow: () => dispatch({ type: 'follow' }),
    pause: () => dispatch({ type: 'pause', height }),
    filter: (filter) => dispatch({ type: 'filter', filter }),
    changed: (rows) => dispatch({ type: 'changed', rows }),
    setReading: useCallback((open: boolean) => dispatch({ type: 'read', open, height }), [dispatch, height]),
  };
}
