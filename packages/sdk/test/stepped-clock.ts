// A clock whose time passes only when the test says so.
import type { Clock } from '../src/index.ts';

/** A clock that stands still. */
export interface SteppedClock extends Clock {
  /** Lets time pass and runs what is due. */
  advance(ms: number): void;
  /** Number of tasks that wait for their time. */
  readonly pending: number;
}

/** Creates a clock at 0. Waits of the client for a retry take no time, because `random` is 0. */
export function steppedClock(): SteppedClock {
  const tasks = new Map<() => void, number>();
  let nowMs = 0;
  const runDue = () => {
    for (const [task, dueMs] of tasks) if (dueMs <= nowMs && tasks.delete(task)) task();
  };
  return {
    now: () => nowMs,
    random: () => 0,
    after(delayMs, task) {
      const own = () => task();
      tasks.set(own, nowMs + delayMs);
      if (delayMs === 0) queueMicrotask(runDue);
      return () => void tasks.delete(own);
    },
    advance(ms) {
      nowMs += ms;
      runDue();
    },
    get pending() {
      return tasks.size;
    },
  };
}
