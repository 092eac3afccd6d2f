// A histogram of durations, as Prometheus counts them: cheap enough for every statement and every request.

/** Counts durations by upper bounds. */
export class Durations {
  /** Upper bounds of the buckets in seconds, in ascending order. */
  readonly bounds: readonly number[];
  /** Number of durations in each bucket, not in those below it; the last bucket has no bound. */
  readonly counts: number[];
  sumS = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** Counts one duration. */
  add(ms: number): void {
    const seconds = ms / 1000;
    const { bounds, counts } = this;
    let i = 0;
    while (i < bounds.length && seconds > (bounds[i] as number)) i += 1;
    counts[i] = (counts[i] as number) + 1;
    this.sumS += seconds;
  }
}
