// State of a read from the server. Pure; see use-query.ts.
import type { Failure } from '../failures/failure.ts';

/** Loading, ready, failed, or stale: read once, but not readable now. The last data is always kept. */
export type Query<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly data: T; readonly atMs: number }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'stale'; readonly data: T; readonly atMs: number; readonly failure: Failure };

/** Events of a read. */
export type QueryAction<T> =
  | { readonly type: 'succeeded'; readonly data: T; readonly atMs: number }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'changed'; readonly change: (data: T) => T };

/** Returns the state after an event. */
export function queryReducer<T>(state: Query<T>, action: QueryAction<T>): Query<T> {
  switch (action.type) {
    case 'succeeded':
      return { status: 'ready', data: action.data, atMs: action.atMs };
    case 'failed':
      return hasData(state)
        ? { status: 'stale', data: state.data, atMs: state.atMs, failure: action.failure }
        : { status: 'failed', failure: action.failure };
    case 'changed': {
      if (!hasData(state)) return state;
      const data = action.change(state.data);
      return data === state.data ? state : { ...state, data };
    }
  }
}

/** Returns whether there is data. */
export function hasData<T>(query: Query<T>): query is Extract<Query<T>, { data: T }> {
  return query.status === 'ready' || query.status === 'stale';
}

/** Returns the delay before a retry, milliseconds. */
export const retryDelayMs = (attempt: number): number => Math.min(15_000, 1000 * 2 ** Math.min(attempt, 4));

/** A read that its user can repeat and change. */
export interface QueryHandle<T> {
  readonly query: Query<T>;
  readonly refresh: () => void;
  /** Changes the data in place, for events. */
  readonly change: (change: (data: T) => T) => void;
}
