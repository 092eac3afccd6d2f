// Much to do without keeping others waiting.
import { setImmediate } from 'node:timers/promises';

/** After so long the others have their turn. */
const TURN_MS = 4;

/** The turns of one request: whoever works on it asks now and then whether it has had the event loop for long enough. */
export class EventLoopYield {
  #since = performance.now();

  get #isOver(): boolean {
    return performance.now() - this.#since >= TURN_MS;
  }

  /** Lets everything else that there is to do have its turn, if this one was long enough. */
  async pause(): Promise<void> {
    if (!this.#isOver) return;
    await setImmediate();
    this.#since = performance.now();
  }

  /** Does something with each part of a list. */
  async inParts<T>(items: readonly T[], size: number, work: (part: readonly T[]) => unknown): Promise<void> {
    for (let at = 0; at < items.length; at += size) {
      await this.pause();
      await work(items.slice(at, at + size));
    }
  }
}
