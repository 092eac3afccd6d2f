// Intervals and back-off, randomized so that the agents of a fleet do not report at once.

/** A number from 0 (included) to 1 (excluded). */
export type Random = () => number;

/**
 * Shortest interval between reports that the agent accepts, in seconds. Beyond the limits, a mistake is more likely
 * than intent.
 */
const INTERVAL_MIN_S = 1;
const INTERVAL_MAX_S = 3600;
/** Used until a server sends another one. */
export const INTERVAL_DEFAULT_S = 30;

const JITTER = 0.1;
const BACK_OFF_FIRST_MS = 1_000;
const BACK_OFF_LEAST_MS = 100;
const RETRY_AFTER_MAX_MS = 600_000;
/** Longest wait of an agent whose credential the server rejects, in seconds. */
export const REJECTED_MAX_S = 600;

/** Limits an interval to the accepted range. */
export const clampInterval = (seconds: number): number =>
  Math.min(INTERVAL_MAX_S, Math.max(INTERVAL_MIN_S, Math.round(seconds)));

/** Milliseconds until the next report: the interval, plus or minus a tenth. */
export const reportDelayMs = (intervalS: number, random: Random): number =>
  Math.round(intervalS * 1000 * (1 - JITTER + 2 * JITTER * random()));

/**
 * Milliseconds to wait after the `failures`-th consecutive failure (1 is the first). The wait is random up to a limit
 * that doubles and ends at the interval ("full jitter"). A `Retry-After` of the server, up to ten minutes, is added.
 */
export function backoffDelayMs(failures: number, intervalS: number, random: Random, retryAfterMs = 0): number {
  const limit = Math.min(intervalS * 1000, BACK_OFF_FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(Math.min(retryAfterMs, RETRY_AFTER_MAX_MS) + Math.max(BACK_OFF_LEAST_MS, limit * random()));
}

/**
 * Milliseconds to wait after the server has rejected the credential `rejections` times: the interval, doubled each time
 * up to ten minutes, plus or minus a tenth. An agent that was deleted would otherwise ask for ever at the usual rate.
 */
export function rejectedDelayMs(rejections: number, intervalS: number, random: Random): number {
  const grown = intervalS * 2 ** Math.min(rejections - 1, 30);
  return reportDelayMs(Math.max(intervalS, Math.min(REJECTED_MAX_S, grown)), random);
}
