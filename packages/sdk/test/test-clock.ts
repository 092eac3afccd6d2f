// A clock that the test advances.
import type { Clock } from '../src/index.ts';

/** A clock under control. */
export interface TestClock extends Clock {
  /** Requested waits except time limits, in milliseconds. Waits end at once. */
  readonly waits: readonly number[];
  /** Running time limits, milliseconds. */
  readonly limits: readonly number[];
  /** Resolves when a time limit of this length is running. */
  running(limitMs: number): Promise<void>;
  /** Expires every running time limit of this length. */
  runOut(limitMs: number): void;
}

/** Time limits of the client: an attempt, and silence in the event stream. */
const LIMITS: readonly number[] = [10_000, 45_000];

export function testClock(random = 0.5): TestClock {
  const waits: number[] = [];
  const running = new Map<() => void, number>();
  const watchers = new Set<() => void>();
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
        for (const look of watchers) look();
        return () => void running.delete(task);
      }
      waits.push(delayMs);
      let isOff = false;
      queueMicrotask(() => isOff || task());
      return () => {
        isOff = true;
      };
    },
    running: (limitMs) =>
      new Promise((resolve) => {
        const look = () => {
          if (![...running.values()].includes(limitMs)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    runOut(limitMs) {
      for (const [task, delayMs] of running) {
        if (delayMs !== limitMs) continue;
        running.delete(task);
        task();
      }
    },
  };
}
