// Detects spikes in counts by the minute.

/** A minute in which an error was far more frequent than before. */
export interface Spike {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly count: number;
  /** The median of the minutes before. */
  readonly usual: number;
}

/** Minutes that the usual count is the median of: those before, without earlier spikes. */
export const USUAL_MINUTES = 180;
/** Minutes needed for a usual count. */
export const USUAL_MINUTES_MIN = 60;
/** Least count of a spike. */
const COUNT_MIN = 10;
/** Least multiple of the usual count. */
const TIMES_USUAL = 4;
/** Standard deviations above the usual count. For normally distributed values, one is 1.4826 median deviations. */
const DEVIATIONS = 6 * 1.4826;
/** Minutes in a row near the usual count that end a spike. */
export const QUIET_MINUTES = 15;

/**
 * Finds the spikes in the counts of consecutive minutes, the first of which is `from`, earliest first.
 *
 * A spike begins at a minute with at least 10 occurrences. They are at least four times the median of the minutes
 * before, and more than six standard deviations (by the median absolute deviation) above it. The minutes of a spike do
 * not change the usual count, unless the spike lasts for three hours: then they replace it.
 */
export function findSpikes(counts: readonly number[], from: number): Spike[] {
  const spikes: Spike[] = [];
  let usual = new SlidingMedian();
  let during: number[] | undefined;
  let quiet = 0;
  for (const [i, count] of counts.entries()) {
    const high = usual.size >= USUAL_MINUTES_MIN && isHigh(count, usual);
    if (during === undefined) {
      if (high) {
        spikes.push({ minute: from + i, count, usual: usual.median });
        during = [count];
        quiet = 0;
      } else {
        usual.add(count);
      }
      continue;
    }
    during.push(count);
    quiet = high ? 0 : quiet + 1;
    if (quiet >= QUIET_MINUTES) {
      for (const calm of during.slice(-QUIET_MINUTES)) usual.add(calm);
      during = undefined;
    } else if (during.length >= USUAL_MINUTES) {
      usual = new SlidingMedian();
      for (const minute of during) usual.add(minute);
      during = undefined;
    }
  }
  return spikes;
}

function isHigh(count: number, usual: SlidingMedian): boolean {
  if (count < COUNT_MIN) return false;
  const { median } = usual;
  return count >= TIMES_USUAL * median && count > median + DEVIATIONS * usual.deviation;
}

/** The median of the last minutes, and their median deviation from it. */
class SlidingMedian {
  readonly #inOrder: number[] = [];
  readonly #sorted: number[] = [];

  get size(): number {
    return this.#inOrder.length;
  }

  add(value: number): void {
    this.#inOrder.push(value);
    this.#sorted.splice(this.#placeOf(value), 0, value);
    if (this.#inOrder.length <= USUAL_MINUTES) return;
    this.#sorted.splice(this.#placeOf(this.#inOrder.shift() as number), 1);
  }

  get median(): number {
    return medianOf(this.#sorted);
  }

  get deviation(): number {
    const { median } = this;
    return medianOf(this.#sorted.map((value) => Math.abs(value - median)).sort((a, b) => a - b));
  }

  /** Returns the first index of a value. */
  #placeOf(value: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Returns the median of sorted numbers; for an even number of them, the mean of the two in the middle. */
export function medianOf(sorted: ArrayLike<number>): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
