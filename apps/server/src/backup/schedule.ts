// The times at which backups are due.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Difference of two servers' clocks that is no mistake. */
const CLOCK_MS = 5 * MINUTE_MS;

/** Returns the last time at or before `nowMs` at which a backup was due. `times` are `HH:MM` in UTC. */
export function lastDueMs(times: readonly string[], nowMs: number): number {
  const midnight = nowMs - (nowMs % DAY_MS);
  const dueMs = times.flatMap((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    const todayMs = midnight + (hours * 60 + minutes) * MINUTE_MS;
    return [todayMs, todayMs - DAY_MS];
  });
  return Math.max(...dueMs.filter((ms) => ms <= nowMs));
}

/** True where no backup was made since the last time at which one was due. */
export function isDue(times: readonly string[], lastMadeMs: number | undefined, nowMs: number): boolean {
  // A backup of the future was made while the clock was wrong.
  if (lastMadeMs === undefined || lastMadeMs > nowMs + CLOCK_MS) return true;
  return lastMadeMs < lastDueMs(times, nowMs);
}
