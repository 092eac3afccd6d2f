/** Random numbers that a seed determines (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to and with `most`. */
  upTo(most: number): number {
    return this.#next() % (most + 1);
  }

  /** From 0 (included) to 1 (excluded). */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** True with a probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
