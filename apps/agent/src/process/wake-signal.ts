/** Wakes a waiting task. A notification without a waiter wakes the next one at once. */
export class WakeSignal {
  #isNotified = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** Waits for a notification, a timeout, or the abort of the signal. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isNotified && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#wake = resolve;
      signal.addEventListener('abort', this.#wake, { once: true });
      await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', this.#wake);
    }
    this.#wake = undefined;
    this.#isNotified = false;
  }
}
