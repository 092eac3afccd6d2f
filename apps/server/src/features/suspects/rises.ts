// Detects on which sources an error became more frequent, and when: a few of many hosts do not change the sum.
import { findSpikes, medianOf, QUIET_MINUTES, type Spike, USUAL_MINUTES, USUAL_MINUTES_MIN } from './spikes.ts';

/** Occurrences of a group in a minute since 1970. Rows are ordered by group and minute. */
export interface GroupMinute {
  readonly id: number;
  readonly minute: number;
  readonly n: number;
}

/** The first minute of a rise on a group. */
export interface Rise {
  readonly id: number;
  readonly minute: number;
}

/** Rises of groups, and the occurrences of the risen ones together by the minute. */
export interface Rises {
  readonly rises: readonly Rise[];
  readonly counts: readonly number[];
}

/** Minutes that are added up to tell a rise from chance. */
const SUM_MINUTES = 3;
/** Standard deviations above the usual sum, and occurrences beside them. */
const DEVIATIONS = 4;
const MORE = 2;
/** Minutes around the start of a spike in which a rise is part of it. */
const BEFORE_MINUTES = QUIET_MINUTES;
const AFTER_MINUTES = 30;

/**
 * Finds the rises of groups from the minute `from` to `last`. `begins` are the minutes at which the error began on each
 * source, in any order: a start is a rise only where more sources begin than usual, not while the error spreads.
 */
export function findRises(rows: readonly GroupMinute[], begins: readonly number[], from: number, last: number): Rises {
  const isBurst = burstsOf(begins);
  const counts: number[] = new Array(Math.max(0, last - from + 1)).fill(0);
  const rises: Rise[] = [];
  for (let at = 0; at < rows.length; ) {
    const { id } = rows[at] as GroupMinute;
    let end = at + 1;
    while (rows[end]?.id === id) end += 1;
    for (const minute of risesOf(rows.slice(at, end), from, counts, isBurst)) rises.push({ id, minute });
    at = end;
  }
  return { rises, counts };
}

/** Finds the rises of one group, and adds its occurrences during them. */
function risesOf(
  rows: readonly GroupMinute[],
  from: number,
  counts: number[],
  isBurst: (minute: number) => boolean,
): number[] {
  const found: number[] = [];
  let bound = 0;
  let lastHigh = Number.NEGATIVE_INFINITY;
  let isRise = false;
  let [oldest, before] = [0, 0];
  for (const [i, { minute, n }] of rows.entries()) {
    for (; (rows[oldest] as GroupMinute).minute < minute - USUAL_MINUTES; oldest += 1)
      before -= (rows[oldest] as GroupMinute).n;
    const isDuring = minute - lastHigh <= QUIET_MINUTES;
    const known = minute - from;
    const mean = before / Math.max(1, Math.min(USUAL_MINUTES, known));
    if (!isDuring) bound = highest(mean);
    const isHigh = known >= USUAL_MINUTES_MIN && sumFrom(rows, i) > bound;
    // A rise begins at a minute that is high itself.
    if (isHigh && !isDuring && n > mean) {
      isRise = i > 0 || isBurst(minute);
      if (isRise) found.push(minute);
    }
    if (isHigh && (isDuring || n > mean)) lastHigh = minute;
    if (isRise && lastHigh === minute) counts[known] = (counts[known] ?? 0) + n;
    before += n;
  }
  return found;
}

/** The most occurrences in some minutes that are usual at a mean, by the Poisson distribution. */
const usualMost = (mean: number) => SUM_MINUTES * mean + DEVIATIONS * Math.sqrt(SUM_MINUTES * mean);
const highest = (mean: number) => usualMost(mean) + MORE;

/** Returns a test of whether more sources begin at a minute than usual before it. */
function burstsOf(begins: readonly number[]): (minute: number) => boolean {
  const sorted = Float64Array.from(begins).sort();
  const countIn = (fromMinute: number, toMinute: number) => placeOf(sorted, toMinute) - placeOf(sorted, fromMinute);
  return (minute) => {
    // A burst may have lasted for a while.
    const end = minute - AFTER_MINUTES;
    const start = Math.max(end - USUAL_MINUTES_MIN, sorted[0] ?? 0);
    const mean = countIn(start, end) / Math.max(1, end - start);
    return countIn(minute, minute + SUM_MINUTES) > usualMost(mean);
  };
}

/** Returns the number of values below one. */
function placeOf(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sumFrom(rows: readonly GroupMinute[], i: number): number {
  const end = (rows[i] as GroupMinute).minute + SUM_MINUTES;
  let sum = 0;
  for (let k = i; k < rows.length && (rows[k] as GroupMinute).minute < end; k += 1) sum += (rows[k] as GroupMinute).n;
  return sum;
}

/** Adds up the occurrences after each minute that has some: a rise on few hosts takes its time to show. */
const withFollowing = (counts: readonly number[]): number[] =>
  counts.map((n, i) => (n === 0 ? 0 : counts.slice(i, i + QUIET_MINUTES).reduce((sum, one) => sum + one, 0)));

/** Adds the spikes of the risen groups to those of the sum, unless one of these is near. */
export function withRises(ofSum: readonly Spike[], sums: readonly number[], { counts }: Rises, from: number): Spike[] {
  const others = findSpikes(withFollowing(counts), from).filter(
    ({ minute }) => !ofSum.some((spike) => Math.abs(spike.minute - minute) <= QUIET_MINUTES),
  );
  const described = others.map(({ minute }) => {
    const at = minute - from;
    const before = sums.slice(Math.max(0, at - USUAL_MINUTES), at).sort((a, b) => a - b);
    return { minute, count: sums[at] ?? 0, usual: medianOf(before) };
  });
  return [...ofSum, ...described].sort((a, b) => a.minute - b.minute);
}

/** Returns the first rise of each group around the start of a spike. */
export function risesAround(rises: readonly Rise[], minute: number): Map<number, number> {
  const found = new Map<number, number>();
  for (const { id, minute: at } of rises) {
    if (at < minute - BEFORE_MINUTES || at > minute + AFTER_MINUTES) continue;
    found.set(id, Math.min(found.get(id) ?? at, at));
  }
  return found;
}
