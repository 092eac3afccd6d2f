// The waits between the attempts of a message.
import type { Outcome } from './transport.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait after the first, second, ... attempt; the last one repeats. */
const WAITS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
] as const;
const LONGEST = WAITS[WAITS.length - 1] ?? 0;
/** Share of a wait by which it varies, so that channels that failed together do not come back together. */
const JITTER = 0.1;

/** Statuses of a receiver that refuses this message, and would refuse it again. */
const REFUSED: readonly (number | null)[] = [400, 413, 422];
/** Status of a receiver that gets too many messages. */
const RATE_LIMITED = 429;
/** Attempts of a message that the receiver refuses. Those behind it wait meanwhile. */
const REFUSED_ATTEMPTS_MAX = 3;

type Failure = Extract<Outcome, { ok: false }>;

/** A message after a failed attempt. */
export interface Failed {
  /** Number of its failed attempts, at least 1. */
  readonly attempts: number;
  readonly nowMs: number;
  /** Time at which it is given up. */
  readonly expiresMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** Returns the time of the next attempt; undefined where the message is given up. */
export function nextAttempt(outcome: Failure, { attempts, nowMs, expiresMs, random }: Failed): number | undefined {
  const isRefused = outcome.isRefused === true || REFUSED.includes(outcome.status);
  if (outcome.isFinal === true || (isRefused && attempts >= REFUSED_ATTEMPTS_MAX)) return undefined;
  const step = WAITS[attempts - 1] ?? LONGEST;
  // A receiver may ask for more time, up to the next step. One that limits the rate may count an attempt before that as
  // a reason to wait longer.
  const mostMs = outcome.status === RATE_LIMITED ? HOUR : (WAITS[attempts] ?? LONGEST);
  const asked = Math.min(outcome.retryAfterMs ?? 0, mostMs);
  const nextMs = nowMs + Math.max(asked, Math.round(step * (1 + JITTER * (2 * random - 1))));
  return nextMs > expiresMs ? undefined : nextMs;
}
