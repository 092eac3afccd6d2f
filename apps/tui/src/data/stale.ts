// Says that what is shown is old. Pure.
import { age } from '../text/format.ts';
import type { Message } from './dashboard.ts';
import type { Failure } from './failure.ts';
import type { Query } from './query.ts';

/** The message for data read at `atMs` that can no longer be renewed. */
export function staleText(failure: Failure, atMs: number, nowMs: number): Message {
  return { tone: 'warning', text: `${age((nowMs - atMs) / 1000)} old. ${failure.message}` };
}

/** The message for a query; null where it is not stale. */
export function staleMessage(query: Query<unknown>, nowMs: number): Message | null {
  return query.status === 'stale' ? staleText(query.failure, query.atMs, nowMs) : null;
}
