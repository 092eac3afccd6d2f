// Messages about stale data. Pure.

import type { Failure } from '../failures/failure.ts';
import { age } from '../text/format.ts';
import type { Message } from '../text/tone.ts';
import type { Query } from './query.ts';

/** Returns the message for data of `atMs` that cannot be read again. */
export function staleText(failure: Failure, atMs: number, nowMs: number): Message {
  return { tone: 'warning', text: `${age((nowMs - atMs) / 1000)} old. ${failure.message}` };
}

/** Returns the message for a query; null if it is not stale. */
export function staleMessage(query: Query<unknown>, nowMs: number): Message | null {
  return query.status === 'stale' ? staleText(query.failure, query.atMs, nowMs) : null;
}
