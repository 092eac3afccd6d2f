// The idle timeout of sessions. Servers record uses with a delay; the timeout allows for it, so that it never ends a
// session in use.

/** Milliseconds between two writes of the collected uses. */
export const WRITE_USES_EVERY_MS = 3_000;
/** A use sooner after the last recorded one is not recorded. */
const RECORD_EVERY_MS = 60_000;
/** Share of the timeout by which a recorded use may be too old. */
const PRECISION = 0.1;

/** End of unused sessions. All times are Unix milliseconds, all durations milliseconds. */
export interface SessionIdle {
  /** A use sooner after the last recorded one is not recorded. */
  readonly recordEveryMs: number;
  /** Returns the time at or before which the last recorded use of an ended session lies; -1 without a timeout. */
  readonly endedBeforeMs: (nowMs: number) => number;
  /** Returns the end of a session whose last recorded use was at a time; 0 without a timeout. */
  readonly untilMs: (lastUsedMs: number) => number;
}

/** Creates a {@link SessionIdle}; `idleS` is the timeout in seconds, 0 = none. */
export function createSessionIdle(idleS: number): SessionIdle {
  if (idleS === 0) return { recordEveryMs: RECORD_EVERY_MS, endedBeforeMs: () => -1, untilMs: () => 0 };
  const recordEveryMs = Math.min(RECORD_EVERY_MS, idleS * 1000 * PRECISION);
  // Longest delay until a use is in the database: one write may have just begun, and the next one takes its time.
  const lagMs = recordEveryMs + 2 * WRITE_USES_EVERY_MS;
  const endsAfterMs = idleS * 1000 + lagMs;
  return {
    recordEveryMs,
    endedBeforeMs: (nowMs) => nowMs - endsAfterMs,
    untilMs: (lastUsedMs) => lastUsedMs + endsAfterMs,
  };
}
