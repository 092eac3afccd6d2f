// Write rate of each credential, in the memory of this process: a token bucket, stored as the time at which it is full
// again (GCRA). A library would need a window and a timer for each credential.
import type { ServerResponse } from 'node:http';
import { type Actor, AppError, type Endpoint } from '@quarterdeck/core';

export interface WriteRate {
  readonly perSecond: number;
  /** Writes that may come at once. */
  readonly burst: number;
}

const RATE: WriteRate = { perSecond: 50, burst: 500 };
/** Credentials in memory; the least recently used one is removed beyond. */
const REMEMBERED_MAX = 10_000;

/** Counts writes. */
export interface WriteLimit {
  /**
   * Counts a request that writes, and sets the headers of its answer (draft-ietf-httpapi-ratelimit-headers-10).
   *
   * @throws AppError `rate_limited`
   */
  count(endpoint: Endpoint, method: string | undefined, actor: Actor | null, res: ServerResponse): void;
}

function credentialOf(actor: Actor): string {
  if (actor.kind === 'user') return `${actor.credential.kind} ${actor.credential.id}`;
  return actor.kind === 'agent' ? `agent ${actor.agentId}` : `enrollment ${actor.enrollmentId}`;
}

/** Creates {@link WriteLimit}. `monotonic` is in milliseconds and only moves forward. */
export function createWriteLimit(monotonic: () => number, { perSecond, burst }: WriteRate = RATE): WriteLimit {
  const policy = `"write";q=${burst};w=${Math.ceil(burst / perSecond)}`;
  const oneMs = 1000 / perSecond;
  /** Credential -> time at which its bucket is full again, in the order of their use. */
  const fullAtMs = new Map<string, number>();

  /** Takes one token. Returns the number left, -1 if there was none, and the milliseconds until the next one. */
  function take(credential: string): { left: number; moreInMs: number } {
    const nowMs = monotonic();
    const untilFullMs = Math.max(0, (fullAtMs.get(credential) ?? 0) - nowMs) + oneMs;
    // The clock has fractions of milliseconds, whose rounding must not cost a token.
    const left = Math.floor(burst - untilFullMs / oneMs + 1e-6);
    if (left < 0) return { left: -1, moreInMs: untilFullMs - burst * oneMs };
    fullAtMs.delete(credential);
    fullAtMs.set(credential, nowMs + untilFullMs);
    const [oldest] = fullAtMs.keys();
    if (fullAtMs.size > REMEMBERED_MAX && oldest !== undefined) fullAtMs.delete(oldest);
    return { left, moreInMs: oneMs };
  }

  return {
    count(endpoint, method, actor, res) {
      if (method === 'GET' || method === 'HEAD' || actor === null || endpoint.uncounted) return;
      const { left, moreInMs } = take(credentialOf(actor));
      const moreInS = Math.ceil(moreInMs / 1000);
      res.setHeader('RateLimit-Policy', policy);
      res.setHeader('RateLimit', `"write";r=${Math.max(0, left)};t=${moreInS}`);
      if (left < 0) throw new AppError('rate_limited', { retryAfterS: moreInS });
    },
  };
}
