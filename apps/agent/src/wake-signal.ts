/** Wakes whoever waits; a ring that nobody waited for is heard by the next one. */
export class WakeSignal {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Waits for a ring, or for so long, or until the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#wake = resolve;
      signal.addEventListener('abort', this.#wake, { once: true });
      await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', this.#wake);
    }
    this.#wake = undefined;
    this.#rung = false;
  }
}
