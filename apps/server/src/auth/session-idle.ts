// The idle timeout of sessions. Uses are recorded a while after they happen, on this server and on others; the timeout
// allows for that, so that it never ends a session that is in use.

/** Milliseconds between two rounds in which uses that were noted are written. */
export const WRITE_USES_EVERY_MS = 3_000;
/** A use sooner after the last recorded one is not recorded. */
const RECORD_EVERY_MS = 60_000;
/** Part of the timeout by which a use may be recorded too early. */
const PRECISION = 0.1;

/** When a session ends because nobody uses it. All times are Unix milliseconds, all durations milliseconds. */
export interface SessionIdle {
  /** A use sooner after the last recorded one is not recorded. */
  readonly recordEveryMs: number;
  /** A session whose last recorded use is not after this has ended; -1 where there is no timeout. */
  readonly endedBeforeMs: (nowMs: number) => number;
  /** When a session ends whose last recorded use was at this time; 0 where there is no timeout. */
  readonly untilMs: (lastUsedMs: number) => number;
}

/** Makes {@link SessionIdle}; `idleS` is the timeout in seconds, 0 = none. */
export function createSessionIdle(idleS: number): SessionIdle {
  if (idleS === 0) return { recordEveryMs: RECORD_EVERY_MS, endedBeforeMs: () => -1, untilMs: () => 0 };
  const recordEveryMs = Math.min(RECORD_EVERY_MS, idleS * 1000 * PRECISION);
  // A use is in the database at the latest after this: one round may have just begun, and the next one takes its time.
  const lagMs = recordEveryMs + 2 * WRITE_USES_EVERY_MS;
  const endsAfterMs = idleS * 1000 + lagMs;
  return {
    recordEveryMs,
    endedBeforeMs: (nowMs) => nowMs - endsAfterMs,
    untilMs: (lastUsedMs) => lastUsedMs + endsAfterMs,
  };
}
