// The lifetime of one write. After its end, operations that the write left running, and references that it kept, can
// touch neither this transaction nor the next one.
import { DatabaseError } from './database-error.ts';

export class WriteScope {
  /** The first statement that failed. It fails the write, whether or not the write caught it. */
  failure: { readonly error: unknown } | undefined;
  signalled = false;
  #active = true;
  #running = 0;
  #whenIdle: (() => void) | undefined;

  get active(): boolean {
    return this.#active;
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  /** Throws if the write has ended. */
  check(): void {
    if (!this.#active) throw new Error('A write used its transaction after it had ended.');
  }

  fail(error: unknown): void {
    this.failure ??= { error };
  }

  end(): void {
    this.#active = false;
  }

  /** Starts an operation and counts it until it settles: the write waits for operations that it did not await. */
  async track<T>(start: () => PromiseLike<T>): Promise<T> {
    this.check();
    this.#running += 1;
    try {
      return await start();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#whenIdle?.();
    }
  }

  async untilIdle(): Promise<void> {
    while (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
  }
}

/**
 * Runs `work`, then waits for the operations it left running, except where it `endsPipelined`. Rejects with the first
 * statement that failed.
 */
export async function runInScope<T>(scope: WriteScope, work: () => Promise<T>, endsPipelined = false): Promise<T> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    if (!scope.idle) await scope.untilIdle();
    throw error;
  }
  if (!endsPipelined && !scope.idle) await scope.untilIdle();
  if (scope.failure !== undefined) throw scope.failure.error;
  return value;
}

export function writeTimeout(): DatabaseError {
  return new DatabaseError('timeout', 'A write took too long and was rolled back.');
}
