// Proof that a resolved error does not come back although its service goes on being used.
import type { ErrlogEntry, ErrlogProof } from '@quarterdeck/core';
import { type ErrlogReads, minuteOf } from '@quarterdeck/store';

const DAY_MINUTES = 1_440;
/** Shortest time without an error that it takes to prove something, in minutes. */
const LEAST_MINUTES = 60;
/** Time before the resolution in which its frequency is measured, in minutes. */
const MEASURED_MINUTES = 7 * DAY_MINUTES;
/** Lengths of the breaks, in minutes, by which failures are grouped into episodes: bursts, outages, jobs of a night. */
const BREAKS = [1, 10, 60, 360];
/** Probability that an error which is still there stays away for as long as a proof takes. */
const CHANCE = 0.002;
/** Probability from which shorter breaks explain as many of a length. */
const CHANCE_OF_LENGTH = 0.001;
/** Failures that would have been expected in the lines since, where all of them happened in one minute. */
const FAILURES = 10;

/**
 * Compares the lines of the group's service on its source since the resolution with those that it took to fail before.
 * Undefined where the group is not resolved.
 */
export async function proofOf(
  store: Pick<ErrlogReads, 'countByMinute' | 'countOfService'>,
  { id, state, state_since: since = 0, src, service = '' }: ErrlogEntry,
  nowS: number,
): Promise<ErrlogProof | undefined> {
  if (state !== 'resolved') return undefined;
  const resolved = minuteOf(since);
  const failures = await store.countByMinute([id], resolved - MEASURED_MINUTES, resolved + 1);
  const seen = await store.countOfService(src, service, { from: resolved + 1, to: minuteOf(nowS) + 1 });
  const minutes = failures.map(({ minute }) => minute).sort((a, b) => a - b);
  const [first = resolved, last = resolved] = [minutes[0], minutes.at(-1)];
  const lines = await store.countOfService(src, service, { from: first, to: last + 1 });
  const count = failures.reduce((sum, { n }) => sum + n, 0);
  // A failure that was seen for less than a day may be of a job that runs once a day.
  const least = last - first < DAY_MINUTES ? DAY_MINUTES : LEAST_MINUTES;
  const isProven = count > 0 && nowS - since >= 60 * least && seen >= linesToProve(minutes, lines, count);
  return { state: isProven ? 'proven' : 'unproven', seen, since };
}

/**
 * Returns the lines without a failure after which an error is gone.
 *
 * Failures come in bursts, so breaks between them are counted, for several lengths, and not occurrences. Longer breaks
 * tell something new where the shorter ones do not explain their number. Independent failures with `n` breaks in
 * `lines` stay away for more than `c / n` of these lines with the probability (1 + c / n)^-n.
 */
function linesToProve(minutes: readonly number[], lines: number, failures: number): number {
  const breaks = minutes.slice(1).map((minute, i) => minute - (minutes[i] ?? minute));
  const scales = BREAKS.map((least) => breakScale(breaks, least)).filter(({ n }) => n > 0);
  const used = scales.map(
    (scale, i) =>
      // The longest of the shorter ones that do: it counts bursts, where a shorter one counts occurrences.
      scales.slice(0, i).findLast((shorter) => explains(shorter, scale)) ?? scale,
  );
  return Math.max((FAILURES * lines) / failures, ...used.map(({ n }) => lines * (CHANCE ** (-1 / n) - 1)));
}

/** Breaks of a length at least, their number, and the mean by which they exceed it. Lengths are minutes. */
interface BreakScale {
  readonly least: number;
  readonly n: number;
  readonly meanExcess: number;
}

function breakScale(breaks: readonly number[], least: number): BreakScale {
  const longer = breaks.filter((length) => length >= least);
  return {
    least,
    n: longer.length,
    meanExcess: longer.reduce((sum, length) => sum + length - least, 0) / longer.length,
  };
}

/** Tells whether breaks of independent events could have as many lengths of the longer scale. */
function explains(shorter: BreakScale, longer: BreakScale): boolean {
  const expected = shorter.n * Math.exp((shorter.least - longer.least) / shorter.meanExcess);
  return tailOfPoisson(longer.n, expected) > CHANCE_OF_LENGTH;
}

/** Probability of at least `least` events where `mean` are expected. */
function tailOfPoisson(least: number, mean: number): number {
  let [term, below] = [Math.exp(-mean), 0];
  for (let n = 0; n < least; n += 1) {
    below += term;
    term *= mean / (n + 1);
  }
  return 1 - below;
}
