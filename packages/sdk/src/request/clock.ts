// Time and randomness, replaceable so that tests never wait for either.

/** Clock of a client. The default is the system's; tests pass their own. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** A number from 0 up to, not including, 1. */
  random(): number;
  /** Runs `task` once, after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

/** Timers take a signed 32-bit number; a longer delay would fire at once. */
const TIMER_MAX_MS = 2_147_483_647;

/** The clock of the system. A delay of more than 24 days never ends. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(delayMs, task) {
    if (delayMs > TIMER_MAX_MS) return () => undefined;
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Waits; rejects with the signal's reason when that is aborted first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      callOff();
      reject(signal?.reason);
    };
    const callOff = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
