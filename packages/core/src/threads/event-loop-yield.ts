// Long work in parts, between which the event loop handles other events.
import { setImmediate } from 'node:timers/promises';

/** Time after which a part yields. */
const PART_MS = 4;

/** Yields during the work of one request: the work calls {@link pause} between its steps. */
export class EventLoopYield {
  #since = performance.now();

  get #isOver(): boolean {
    return performance.now() - this.#since >= PART_MS;
  }

  /** Lets the event loop handle other events, if this part has taken long enough. */
  async pause(): Promise<void> {
    if (!this.#isOver) return;
    await setImmediate();
    this.#since = performance.now();
  }

  /** Runs `work` on each part of a list, with pauses between. */
  async inParts<T>(items: readonly T[], size: number, work: (part: readonly T[]) => unknown): Promise<void> {
    for (let at = 0; at < items.length; at += size) {
      await this.pause();
      await work(items.slice(at, at + size));
    }
  }
}
