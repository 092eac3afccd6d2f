// Reports an incident that may occur thousands of times a second, at most every ten seconds.

const REPORT_MS = 10_000;

/** Counts incidents. Reports the first at once, and further ones at most every ten seconds as a sum. */
export class RateLimitedReport {
  readonly #write: (added: number, total: number) => void;
  #total = 0;
  #reported = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (added: number, total: number) => void) {
    this.#write = write;
  }

  get total(): number {
    return this.#total;
  }

  count(added = 1): void {
    this.#total += added;
    if (this.#timer === undefined) this.#report();
  }

  /** Reports the incidents since the last report. */
  close(): void {
    clearTimeout(this.#timer);
    this.#flush();
  }

  #report(): void {
    this.#timer = undefined;
    if (!this.#flush()) return;
    this.#timer = setTimeout(() => this.#report(), REPORT_MS);
    this.#timer.unref();
  }

  #flush(): boolean {
    const added = this.#total - this.#reported;
    this.#reported = this.#total;
    if (added > 0) this.#write(added, this.#total);
    return added > 0;
  }
}
