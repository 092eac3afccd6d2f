// Reads something from the server: once, again when asked, every so often, and by itself after a failure that may pass.
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { useDashboard } from './dashboard.ts';
import { failureOf } from './failure.ts';
import { type Query, type QueryAction, queryReducer, retryDelayMs } from './query.ts';

/** What {@link useQuery} takes. */
export interface QueryOptions {
  /** False: nothing is read, what is known is kept. */
  readonly enabled?: boolean;
  /** Read again so long after each answer. */
  readonly everyMs?: number;
}

/** What {@link useQuery} gives. */
export interface QueryHandle<T> {
  readonly query: Query<T>;
  readonly refresh: () => void;
  /** Changes the data in place, for what the event stream tells. */
  readonly change: (change: (data: T) => T) => void;
}

/** Reads with `fetch`, which must be stable; the read is aborted when the component goes away. */
export function useQuery<T>(fetch: (signal: AbortSignal) => Promise<T>, options: QueryOptions = {}): QueryHandle<T> {
  const { enabled = true, everyMs } = options;
  const { now, fail } = useDashboard();
  const [query, dispatch] = useReducer<Query<T>, [QueryAction<T>]>(queryReducer<T>, { status: 'loading' });
  // Each turn is one read; asking again starts the next one.
  const [turn, setTurn] = useState(0);
  const failures = useRef(0);

  // `turn` is what asks for the next read
  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
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
