// The time for which this server has listened without a break. An agent that had no time to report is not declared
// lost.

/** A moment, for which the status of agents is computed. */
export interface Moment {
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Start of the listening window (Unix milliseconds), at most `nowMs`. */
  readonly sinceMs: number;
}

/**
 * The listening window. It starts again when this process was suspended, and when reports could not be stored. A set
 * clock and a machine that slept restart it too: the wall clock and the monotonic one disagree.
 */
export interface ListeningWindow {
  moment(): Moment;
  /** Notes the end of a sweep; there is one every few seconds. */
  kept(): void;
  /** Notes that a report could not be stored: the agent is not silent. */
  broken(): void;
}

/** Clocks drift and are slewed. A larger difference between two sweeps is a step. */
const STEP_MS = 2_000;
/** Sweeps are five seconds apart. */
const SUSPENDED_MS = 30_000;

/** Makes {@link ListeningWindow}. `now` is in Unix milliseconds; the other clocks never go back. */
export function createListeningWindow(
  now: () => number,
  monotonic: () => number,
  awake: () => number = () => performance.now(),
): ListeningWindow {
  let sinceMs = now();
  let aheadMs = sinceMs - monotonic();
  let keptMs = awake();
  return {
    moment() {
      const nowMs = now();
      const isAheadMs = nowMs - monotonic();
      if (Math.abs(isAheadMs - aheadMs) > STEP_MS || awake() - keptMs > SUSPENDED_MS) sinceMs = nowMs;
      aheadMs = isAheadMs;
      return { nowMs, sinceMs: Math.min(sinceMs, nowMs) };
    },
    kept() {
      keptMs = awake();
    },
    broken() {
      sinceMs = now();
    },
  };
}
