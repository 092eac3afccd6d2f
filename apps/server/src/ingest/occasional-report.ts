// Tells about something that may happen thousands of times a second without saying it thousands of times.

const REPORT_MS = 10_000;

/** Counts; reports the first one at once and from then on at most every ten seconds what has been added. */
export class OccasionalReport {
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

  /** Reports what has not been reported yet. */
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
