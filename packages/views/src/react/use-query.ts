import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { failureOf } from '../failures/failure.ts';
import { type Query, type QueryAction, type QueryHandle, queryReducer, retryDelayMs } from '../reads/query.ts';
import { useViews } from './views-context.ts';

/** Options of {@link useQuery}. */
export interface QueryOptions {
  /** If false, nothing is read and the data is kept. */
  readonly enabled?: boolean;
  /** Interval after each answer, milliseconds. */
  readonly everyMs?: number;
}

/** Reads with `fetch`, which must be stable. Unmounting aborts the read. */
export function useQuery<T>(fetch: (signal: AbortSignal) => Promise<T>, options: QueryOptions = {}): QueryHandle<T> {
  const { enabled = true, everyMs } = options;
  const { now, fail } = useViews();
  const [query, dispatch] = useReducer<Query<T>, [QueryAction<T>]>(queryReducer<T>, { status: 'loading' });
  // Number of the read; increasing it starts the next one.
  const [turn, setTurn] = useState(0);
  const failures = useRef(0);

  // A change of the number starts a read.
  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (delayMs: number): void => {
      timer = setTimeout(() => setTurn((n) => n + 1), delayMs);
    };
    fetch(controller.signal)
      .then((data) => {
        if (controller.signal.aborted) return;
        failures.current = 0;
        dispatch({ type: 'succeeded', data, atMs: now() });
        if (everyMs !== undefined) again(everyMs);
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        const failure = failureOf(error);
        fail(error);
        dispatch({ type: 'failed', failure });
        if (failure.kind === 'unreachable') again(retryDelayMs(failures.current++));
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [fetch, enabled, everyMs, turn, now, fail]);

  return {
    query,
    refresh: useCallback(() => setTurn((n) => n + 1), []),
    change: useCallback((change: (data: T) => T) => dispatch({ type: 'changed', change }), []),
  };
}
