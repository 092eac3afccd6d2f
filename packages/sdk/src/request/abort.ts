// Promises of a caller, and waits that end early: by a signal, or by the deadline of a call.
import type { Clock } from './clock.ts';
import { type Target, TimeoutError } from './errors.ts';

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Recognizes a promise, also one of another realm. */
export const isPending = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** Settles with the promise, or rejects with the signal's reason when that is aborted first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Time limit of a call over all its attempts and waits. */
export interface Deadline {
  /** Aborted by the caller, or with a {@link TimeoutError} when the time is up. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds left. */
  leftMs(): number;
  /** Stops the timer. */
  end(): void;
}

/** Starts the time limit of a call; undefined is none. */
export function startDeadline(
  clock: Clock,
  deadlineMs: number | undefined,
  signal: AbortSignal | undefined,
  target: Target,
): Deadline {
  if (deadlineMs === undefined) return { signal, leftMs: () => Number.POSITIVE_INFINITY, end: () => undefined };
  const endsMs = clock.now() + deadlineMs;
  const timeUp = new AbortController();
  const callOff = clock.after(deadlineMs, () => timeUp.abort(new TimeoutError(deadlineMs, target)));
  return {
    signal: signal === undefined ? timeUp.signal : AbortSignal.any([signal, timeUp.signal]),
    leftMs: () => endsMs - clock.now(),
    end: callOff,
  };
}
