// Reads the error log: the first page, more pages near the end, again after a failure, and the events of the stream.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { type Dispatch, useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { locateCursor } from '../../components/table/cursor.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { type ErrlogFilter, listErrlog } from '../../data/errlog.ts';
import { failureOf } from '../../data/failure.ts';
import { retryDelayMs } from '../../data/query.ts';
import { useEvents } from '../../data/use-events.ts';
import {
  aheadBy,
  EMPTY,
  type ErrlogAction,
  type ErrlogState,
  errlogReducer,
  isFollowing,
  PAGE_ROWS,
} from './errlog-state.ts';

/** Most rows read again at once. */
const RELOAD_MAX = 1_000;
/** Shortest interval between automatic reads, milliseconds. */
const REREAD_MS = 1_000;
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
  const { client, fail } = useDashboard();
  const [state, dispatch] = useReducer(errlogReducer, EMPTY);
  const [turn, setTurn] = useState(0);
  const { filter } = state;
  const list = useCallback(
    (start: number, end: number, signal: AbortSignal) => listErrlog(client, filter, { start, end }, signal),
    [client, filter],
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

/** Reads the newest rows: as many as are loaded, so that a new read removes none of them. */
function useFirstRows({ state, dispatch, list, report, turn, refresh }: Reads): void {
  const { ahead, online, now } = useDashboard();
  const failures = useRef(0);
  const wanted = useRef(PAGE_ROWS);
  const loaded = Math.ceil(state.order.length / PAGE_ROWS) * PAGE_ROWS;
  wanted.current = Math.min(RELOAD_MAX, Math.max(PAGE_ROWS, loaded));
  useEffect(() => {
    if (!online) return;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    (ahead.take('errlog', wanted.current) ?? list(0, wanted.current, controller.signal))
      .then(({ data, meta }) => {
        // An answer that was read ahead cannot be aborted, and may be older than the filter.
        if (controller.signal.aborted) return;
        failures.current = 0;
        dispatch({ type: 'loaded', rows: data, total: meta.count, atMs: now() });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        if (report(error)) timer = setTimeout(refresh, retryDelayMs(failures.current++));
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [list, ahead, online, now, dispatch, report, refresh, turn]);
}

/** Reads the next page when the selection comes near the end. */
function useNextRows({ state, dispatch, list, report, turn }: Reads, height: number): void {
  const { online } = useDashboard();
  const { cursor, order, total } = state;
  const isNearEnd = locateCursor(cursor, order, height).index + 2 * height >= order.length;
  const start = order.length + aheadBy(state);
  const wantsMore = isNearEnd && total !== null && start < total && order.length > 0;
  // After a failure the next `turn` retries
  useEffect(() => {
    if (!wantsMore || !online) return;
    const controller = new AbortController();
    list(start, start + PAGE_ROWS, controller.signal)
      .then(({ data, meta }) => dispatch({ type: 'loadedMore', rows: data, total: meta.count }))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) report(error);
      });
    return () => controller.abort();
  }, [list, wantsMore, start, online, dispatch, report, turn]);
}

/** Reads what the event stream left out: again while following, else without changing the screen. */
function useMissedRows({ state, dispatch, list, refresh }: Reads): void {
  const { online, now } = useDashboard();
  const { atMs, missed } = state;
  const following = isFollowing(state);
  // A storm of errors asks for one read after the other; the list need not follow each of them.
  useEffect(() => {
    if (!missed || !online) return;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const peek = (): void => {
      list(0, PAGE_ROWS, controller.signal)
        .then(({ data, meta }) => dispatch({ type: 'peeked', rows: data, total: meta.count }))
        .catch(() => {
          // The screen keeps its rows.
          if (!controller.signal.aborted) timer = setTimeout(peek, RETRY_MS);
        });
    };
    const waitMs = Math.max(0, Math.min(REREAD_MS, atMs + REREAD_MS - now()));
    timer = setTimeout(following ? refresh : peek, waitMs);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [missed, following, online, list, dispatch, atMs, now, refresh]);
}

/** The error log in a table of `height` rows. */
export function useErrlog(height: number): ErrlogModel {
  const reads = useReads();
  useFirstRows(reads);
  useNextRows(reads, height);
  useMissedRows(reads);
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
