/** Wakes whoever waits; a ring that nobody waited for is heard by the next one. */
export class WakeSignal {
  #isNotified = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** Waits for a ring, or for so long, or until the signal is aborted. */
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
