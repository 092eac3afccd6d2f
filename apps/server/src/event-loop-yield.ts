// Long work that keeps the event loop free.
import { setImmediate } from 'node:timers/promises';

/** Time after which the event loop is freed. */
const TURN_MS = 4;

/** Measures how long one request has kept the event loop. */
export class EventLoopYield {
  #since = performance.now();

  get #isOver(): boolean {
    return performance.now() - this.#since >= TURN_MS;
  }

  /** Frees the event loop if this request has kept it for long enough. */
  async pause(): Promise<void> {
    if (!this.#isOver) return;
    await setImmediate();
    this.#since = performance.now();
  }

  /** Works on a list in parts and pauses between them. */
  async inParts<T>(items: readonly T[], size: number, work: (part: readonly T[]) => unknown): Promise<void> {
    for (let at = 0; at < items.length; at += size) {
      await this.pause();
      await work(items.slice(at, at + size));
    }
  }
}
