import type { Client } from '@quarterdeck/sdk';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { failureOf } from '../failures/failure.ts';
import type { FeedEvent } from '../live/feed.ts';
import { type Query, type QueryAction, type QueryHandle, queryReducer, retryDelayMs } from '../reads/query.ts';
import { useEvents } from './use-events.ts';
import { useViews } from './views-context.ts';

export interface QueryOptions {
  /** If false, nothing is read and the data is kept. */
  readonly enabled?: boolean;
  /** Interval after each answer, milliseconds. */
  readonly everyMs?: number | undefined;
  /** Reports whether the data must be read again after an event; after none by default. */
  readonly isStale?: ((event: FeedEvent) => boolean) | undefined;
}

/** Reads with `fetch`, which must be stable. Unmounting aborts the read. */
export function useQuery<T>(fetch: (signal: AbortSignal) => Promise<T>, options: QueryOptions = {}): QueryHandle<T> {
  const { enabled = true, everyMs, isStale } = options;
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

  const refresh = useCallback(() => setTurn((n) => n + 1), []);
  useEvents((events) => {
    if (enabled && isStale !== undefined && events.some(isStale)) refresh();
  });
  return {
    query,
    refresh,
    change: useCallback((change: (data: T) => T) => dispatch({ type: 'changed', change }), []),
  };
}

/** Reads with `read`, which must be stable, while `active`. */
export function useRead<T>(
  read: (client: Client, signal: AbortSignal) => Promise<T>,
  active: boolean,
  options: Omit<QueryOptions, 'enabled'> = {},
): QueryHandle<T> {
  const { client, online } = useViews();
  const fetch = useCallback((signal: AbortSignal) => read(client, signal), [client, read]);
  return useQuery(fetch, { ...options, enabled: online && active });
}
