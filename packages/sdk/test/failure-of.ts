import { expect } from 'vitest';

/** Resolves with the error of a promise that must reject. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  );
