// Since when this server has listened without a break, so that nobody is declared lost who had no time to report.

/** A moment, as the state of agents depends on it. */
export interface Moment {
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Since when this server has listened without a break: never later than `nowMs`. */
  readonly sinceMs: number;
}

/**
 * Knows since when this server has listened. It begins anew where the clock was set or the machine slept (the wall clock
 * and the monotonic one disagree), where this process stood still, and where reports could not be stored.
 */
export interface ListeningWindow {
  moment(): Moment;
  /** A look at the agents is over; there is one every few seconds. */
  kept(): void;
  /** A report could not be stored: it is not the agent who is silent. */
  broken(): void;
}

/** Clocks drift and are slewed; more than this between two looks is a step. */
const STEP_MS = 2_000;
/** Looks are five seconds apart. */
const STOOD_STILL_MS = 30_000;

/** Makes {@link ListeningWindow}. `now` is in Unix milliseconds; the others only grow, whatever is done to the wall clock. */
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
      if (Math.abs(isAheadMs - aheadMs) > STEP_MS || awake() - keptMs > STOOD_STILL_MS) sinceMs = nowMs;
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
