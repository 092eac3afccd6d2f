// Log of the requests of this dashboard: duration and address. Never a credential, never a body.
import type { RequestInfo } from '@quarterdeck/sdk';
import type { LogEntry } from './log.ts';

export type RequestEntry = LogEntry<RequestInfo>;

/** Number of answers whose median is the shown latency. */
const LATENCY_OF = 5;

/** Returns the median duration of the last answers, milliseconds; undefined before the first. */
export function latencyMs(entries: readonly RequestEntry[]): number | undefined {
  const last = entries
    .filter(({ status, url }) => status !== undefined && !url.includes('/admin-api/events'))
    .slice(-LATENCY_OF)
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b);
  return last[Math.floor(last.length / 2)];
}
