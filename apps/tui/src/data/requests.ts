// The requests this dashboard made: how long they take, and what was asked. Never a credential, never a body.
import type { RequestInfo } from '@quarterdeck/sdk';
import type { Logged } from './log.ts';

/** One request. */
export type RequestEntry = Logged<RequestInfo>;

/** The latency shown is the middle of so many answers. */
const LATENCY_OF = 5;

/** How long the last answers took, milliseconds; undefined before the first. */
export function latencyMs(entries: readonly RequestEntry[]): number | undefined {
  const last = entries
    .filter(({ status, url }) => status !== undefined && !url.includes('/admin-api/events'))
    .slice(-LATENCY_OF)
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b);
  return last[Math.floor(last.length / 2)];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The request for a shell. The credential and the body are left to whoever runs it. */
export function curlOf({ method, url }: { readonly method: string; readonly url: string }): string {
  const how = method === 'GET' ? '' : ` -X ${method} -H 'Content-Type: application/json' -d @body.json`;
  return `curl -sS${how} -H "API-Token: $QUARTERDECK_TOKEN" ${quoted(url)}`;
}
