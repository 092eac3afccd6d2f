// How long to wait: spread over the fleet, so that no server meets all its agents at once.

/** A number from 0 (included) to 1 (excluded). */
export type Random = () => number;

/** Seconds between reports that the agent accepts from a server; outside of them a mistake is more likely than a wish. */
const INTERVAL_MIN_S = 1;
const INTERVAL_MAX_S = 3600;
/** Used until a server says otherwise. */
export const INTERVAL_DEFAULT_S = 30;

const JITTER = 0.1;
const BACK_OFF_FIRST_MS = 1_000;
const BACK_OFF_LEAST_MS = 100;
const RETRY_AFTER_MAX_MS = 600_000;

/** An interval within what the agent accepts. */
export const clampInterval = (seconds: number): number =>
  Math.min(INTERVAL_MAX_S, Math.max(INTERVAL_MIN_S, Math.round(seconds)));

/** Milliseconds until the next report: the interval, a tenth more or less. */
export const reportDelayMs = (intervalS: number, random: Random): number =>
  Math.round(intervalS * 1000 * (1 - JITTER + 2 * JITTER * random()));

/**
 * Milliseconds to wait after the `failures`-th failure in a row (1 is the first): anything up to a limit that doubles and
 * ends at the interval. Drawing from the whole range ("full jitter") spreads a fleet best after an outage. What the server
 * asked for by `Retry-After` comes on top, up to ten minutes.
 */
export function backoffDelayMs(failures: number, intervalS: number, random: Random, retryAfterMs = 0): number {
  const limit = Math.min(intervalS * 1000, BACK_OFF_FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(Math.min(retryAfterMs, RETRY_AFTER_MAX_MS) + Math.max(BACK_OFF_LEAST_MS, limit * random()));
}
