// Time that passes when the test says so.
import type { Clock } from '../src/index.ts';

/** A clock under control. */
export interface TestClock extends Clock {
  /** Every wait that was asked for and not a time limit, milliseconds. Waits are over at once. */
  readonly waits: readonly number[];
  /** Time limits that are running, milliseconds. */
  readonly limits: readonly number[];
  /** Lets every running time limit of this length run out. */
  runOut(limitMs: number): void;
}

/** Length of the time limits in the client: an attempt, and silence in the event stream. */
const LIMITS: readonly number[] = [10_000, 45_000];

export function testClock(random = 0.5): TestClock {
  const waits: number[] = [];
  const running = new Map<() => void, number>();
  return {
    waits,
    get limits() {
      return [...running.values()];
    },
    now: () => 1_800_000_000_000,
    random: () => random,
    after(delayMs, task) {
      if (LIMITS.includes(delayMs)) {
        running.set(task, delayMs);
        return () => void running.delete(task);
      }
      waits.push(delayMs);
      let isOff = false;
      queueMicrotask(() => isOff || task());
      return () => {
        isOff = true;
      };
    },
    runOut(limitMs) {
      for (const [task, delayMs] of running) {
        if (delayMs !== limitMs) continue;
        running.delete(task);
        task();
      }
    },
  };
}
