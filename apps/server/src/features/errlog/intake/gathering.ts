// Delays a write while further bodies are read, so that they are stored together. A write takes as long for each group
// that it updates as for dozens of lines, and under load all writes have the same groups. A few lines are stored at
// once: that takes milliseconds, and their sender would wait for the large body of another one.

/** Lines up to which a write does not wait. */
export const FEW_LINES = 100;
/** Lines from which a write waits no longer. */
export const ENOUGH_LINES = 20_000;
/** Longest delay of a write, milliseconds. */
export const LONGEST_MS = 100;

/** Gathers lines for the next write. */
export class Gathering {
  readonly #isReading: () => boolean;
  #lines = 0;
  #changed = Promise.withResolvers<void>();

  /** `isReading` tells whether bodies are read whose lines come soon. */
  constructor(isReading: () => boolean) {
    this.#isReading = isReading;
  }

  /** Counts lines that are ready for the next write. */
  add(lines: number): void {
    this.#lines += lines;
    this.look();
  }

  /** Looks again whether bodies are read. */
  look(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves when the next write should begin, and counts from 0 for the one behind it. */
  async gathered(): Promise<void> {
    if (this.#lines > FEW_LINES) {
      const timer = Promise.withResolvers<'late'>();
      const timeout = setTimeout(() => timer.resolve('late'), LONGEST_MS);
      while (this.#isReading() && this.#lines < ENOUGH_LINES) {
        if ((await Promise.race([this.#changed.promise, timer.promise])) === 'late') break;
      }
      clearTimeout(timeout);
    }
    this.#lines = 0;
  }
}
