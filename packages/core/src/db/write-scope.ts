// One write's time at the writing connection. It ends for good: whatever the write left running, or kept a reference
// to, can touch neither this transaction nor the next one.
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

  /** Throws unless a statement may still run in this turn. */
  check(): void {
    if (!this.#active) throw new Error('A write used its door after it had ended.');
  }

  fail(error: unknown): void {
    this.failure ??= { error };
  }

  end(): void {
    this.#active = false;
  }

  /** Starts an operation and counts it until it settles, so that the turn can wait for what the write did not await. */
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

/** Runs `work` in `turn`, then waits for what it left running; fails with the turn's first failed statement. */
export async function runInScope<T>(turn: WriteScope, work: () => Promise<T>): Promise<T> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    if (!turn.idle) await turn.untilIdle();
    throw error;
  }
  if (!turn.idle) await turn.untilIdle();
  if (turn.failure !== undefined) throw turn.failure.error;
  return value;
}

export function writeTimeout(): DatabaseError {
  return new DatabaseError('timeout', 'A write took too long and was rolled back.');
}
