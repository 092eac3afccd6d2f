// Reads the error log: the first page, more pages near the end, again after a failure, and the events of the stream.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { locateCursor } from '../../components/table/cursor.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { type ErrlogFilter, listErrlog } from '../../data/errlog.ts';
import { failureOf } from '../../data/failure.ts';
import { retryDelayMs } from '../../data/query.ts';
import { useEvents } from '../../data/use-events.ts';
import { aheadBy, EMPTY, type ErrlogState, errlogReducer, isFollowing, PAGE_ROWS } from './errlog-state.ts';

/** Most rows read again at once. */
const RELOAD_MAX = 1_000;
/** Shortest interval between automatic reads, milliseconds. */
const REREAD_MS = 1_000;
const LOOK_AGAIN_MS = 5_000;

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

/** The error log in a table of `height` rows. */
export function useErrlog(height: number): ErrlogModel {
  const { client, ahead, online, now, fail } = useDashboard();
  const [state, dispatch] = useReducer(errlogReducer, EMPTY);
  const [turn, setTurn] = useState(0);
  const failures = useRef(0);
  const { filter, order, total } = state;
  // As many rows as are loaded now, so that a new read removes none of them.
  const wanted = useRef(PAGE_ROWS);
  wanted.current = Math.min(RELOAD_MAX, Math.max(PAGE_ROWS, Math.ceil(order.length / PAGE_ROWS) * PAGE_ROWS));

  const list = useCallback(
    (start: number, end: number, signal: AbortSignal) => listErrlog(client, filter, { start, end }, signal),
    [client, filter],
  );

  const refused = useCallback(
    (error: unknown): boolean => {
      const failure = failureOf(error);
      fail(error);
      dispatch({ type: 'failed', failure });
      return failure.kind === 'unreachable';
    },
    [fail],
  );

  // A new `turn` starts the next read
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
        if (refused(error)) timer = setTimeout(() => setTurn((n) => n + 1), retryDelayMs(failures.current++));
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [list, ahead, online, now, refused, turn]);

  const near = locateCursor(state.cursor, order, height).index + 2 * height >= order.length;
  const start = order.length + aheadBy(state);
  const more = near && total !== null && start < total && order.length > 0;
  // After a failure the next `turn` retries
  useEffect(() => {
    if (!more || !online) return;
    const controller = new AbortController();
    list(start, start + PAGE_ROWS, controller.signal)
      .then(({ data, meta }) => dispatch({ type: 'loadedMore', rows: data, total: meta.count }))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) refused(error);
      });
    return () => controller.abort();
  }, [list, more, start, online, refused, turn]);

  const refresh = useCallback(() => setTurn((n) => n + 1), []);
  // A storm of errors asks for one read after the other; the list need not follow each of them.
  const { atMs, missed } = state;
  const following = isFollowing(state);
  useEffect(() => {
    if (!missed || !online) return;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      list(0, PAGE_ROWS, controller.signal)
        .then(({ data, meta }) => dispatch({ type: 'peeked', rows: data, total: meta.count }))
        .catch(() => {
          // The screen keeps its rows.
          if (!controller.signal.aborted) timer = setTimeout(look, LOOK_AGAIN_MS);
        });
    };
    const waitMs = Math.max(0, Math.min(REREAD_MS, atMs + REREAD_MS - now()));
    timer = setTimeout(following ? refresh : look, waitMs);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [missed, following, online, list, atMs, now, refresh]);

  useEvents((events) => dispatch({ type: 'events', events }));

  return {
    state,
    mover: {
      by: (by: number) => dispatch({ type: 'move', by, height }),
      to: (index: number) => dispatch({ type: 'moveTo', index, height }),
    },
    refresh,
    follow: () => dispatch({ type: 'follow' }),
    pause: () => dispatch({ type: 'pause', height }),
    filter: useCallback((next: ErrlogFilter) => dispatch({ type: 'filter', filter: next }), []),
    changed: (rows) => dispatch({ type: 'changed', rows }),
    setReading: useCallback((open: boolean) => dispatch({ type: 'read', open, height }), [height]),
  };
}
