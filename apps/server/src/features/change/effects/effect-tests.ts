// Exact tests of the effects of a change. No distribution of the occurrences is assumed: errors come in bursts.

/** Probability of a chance result that all tests of a request together may have. */
const CHANCE = 0.003;

const logFactorials = [0];

function logFactorial(n: number): number {
  for (let i = logFactorials.length; i <= n; i += 1) logFactorials.push((logFactorials[i - 1] ?? 0) + Math.log(i));
  return logFactorials[n] ?? 0;
}

const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** A draw of `drawn` out of `all` things, of which `marked` are marked. */
interface Draw {
  readonly all: number;
  readonly marked: number;
  readonly drawn: number;
}

/** Probability that a draw by chance has at least `least` marked things (Fisher's exact test, one-sided). */
export function tailOfDraw({ all, marked, drawn }: Draw, least: number): number {
  let sum = 0;
  for (let k = Math.max(least, marked + drawn - all, 0); k <= Math.min(marked, drawn); k += 1) {
    sum += Math.exp(logChoose(marked, k) + logChoose(all - marked, drawn - k) - logChoose(all, drawn));
  }
  return Math.min(1, sum);
}

/** Probability that at least `least` of `all` things fall into a part that each of them falls into with `chance`. */
export function tailOfShare(all: number, chance: number, least: number): number {
  let sum = 0;
  for (let k = least; k <= all; k += 1) {
    sum += Math.exp(logChoose(all, k) + k * Math.log(chance) + (all - k) * Math.log1p(-chance));
  }
  return Math.min(1, sum);
}

/** Values of the two sides of a comparison. Those that are not listed are 0. */
export interface Sides {
  readonly own: readonly number[];
  readonly ownCount: number;
  readonly other: readonly number[];
  readonly otherCount: number;
}

/** A probability, and the least one that these values could have had. */
export interface Chance {
  readonly p: number;
  readonly least: number;
}

/**
 * Returns the probability that the values of one side are as much greater than those of the other by chance.
 *
 * Counts the values above a bound on both sides. The bounds are 0, the median of all values, and the one that as many
 * values exceed as the side has. None depends on the sides, so the counts are a draw by chance if the sides do not
 * differ. Different bounds multiply the probability.
 */
export function chanceOfGreater({ own, ownCount, other, otherCount }: Sides): Chance {
  const all = ownCount + otherCount;
  const positive = [...own, ...other].filter((value) => value > 0).sort((a, b) => a - b);
  // Values that are not listed are 0, and those below 0 count as 0: both are below the positive ones.
  const ranked = (rank: number) => positive[rank - 1 - (all - positive.length)] ?? 0;
  const bounds = new Map<number, { readonly inOwn: number; readonly marked: number }>();
  for (const bound of [0, ranked(Math.ceil(all / 2)), ranked(all - ownCount)]) {
    const inOwn = own.filter((value) => value > bound).length;
    const marked = inOwn + other.filter((value) => value > bound).length;
    bounds.set(marked, { inOwn, marked });
  }
  const best = (tails: readonly number[]) => Math.min(1, tails.length * Math.min(...tails));
  const draw = (marked: number) => ({ all, marked, drawn: ownCount });
  const counts = [...bounds.values()];
  return {
    p: best(counts.map(({ inOwn, marked }) => tailOfDraw(draw(marked), inOwn))),
    least: best(counts.map(({ marked }) => tailOfDraw(draw(marked), Math.min(marked, ownCount)))),
  };
}

/**
 * Returns the highest probability that still counts as no chance, for several tests at once. This is the correction of
 * Bonferroni for the tests that could pass it at all (Tarone).
 */
export function boundFor(tests: readonly Chance[]): number {
  for (let among = 1; ; among += 1) {
    const bound = CHANCE / among;
    if (tests.filter(({ least }) => least <= bound).length <= among) return bound;
  }
}
