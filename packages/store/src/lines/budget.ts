// Time that a search may take.
import { AppError } from '@quarterdeck/core/plain';

/** Time of a search on a thread, in milliseconds. */
export const SEARCH_MS = 5_000;

/** Limit of one search. */
export interface Limit {
  /** The search must end, at a place where it can be continued. */
  readonly isOver: boolean;
}

/** Time of one search, and the wish of its caller to end it. */
export class Budget implements Limit {
  readonly #endMs: number;
  readonly #cancelled: Int32Array | undefined;

  /** `cancelled[0]` is set to 1 by the thread of the caller, who no longer waits. */
  constructor(ms: number, cancelled?: Int32Array) {
    this.#endMs = performance.now() + ms;
    this.#cancelled = cancelled;
  }

  /** @throws AppError `shutting_down` if nobody waits for the result */
  get isOver(): boolean {
    if (this.#cancelled !== undefined && Atomics.load(this.#cancelled, 0) === 1) throw new AppError('shutting_down');
    return performance.now() >= this.#endMs;
  }
}
