// Weighs the evidence that a change caused an error, in natural logarithms of likelihood ratios.
import type { AgentEventKind, MergedChange, SuspectedChange } from '@quarterdeck/core';

type Shares = Pick<SuspectedChange, 'affected' | 'unaffected'>;

/** Agents with the change among those affected by its error: a Beta distribution, 90 % on average. */
const CAUSE = { with: 9, without: 1 };
/** Most agents counted on each side. Thousands prove that a change is related to the error, not that it caused it. */
const COUNTED_MAX = { affected: 40, unaffected: 400 };
/** Seconds from a change to its error: each doubling from this on is equally likely, up to the whole window. */
const DELAY_S = 60;

/**
 * Compares two explanations of the counts on both sides. Either the change is a cause, so nearly all affected agents
 * made it and the others at a rate of their own. Or it is not, and all agents made it at one rate. All rates but the
 * first are unknown: any is equally likely.
 */
export function evidenceOfCounts(shares: Shares): number {
  const affected = atMost(shares.affected, COUNTED_MAX.affected);
  const unaffected = atMost(shares.unaffected, COUNTED_MAX.unaffected);
  const asCause =
    lnBeta(affected.with + CAUSE.with, affected.without + CAUSE.without) - lnBeta(CAUSE.with, CAUSE.without);
  const ofOthers = lnBeta(unaffected.with + 1, unaffected.without + 1);
  return asCause + ofOthers - lnBeta(affected.with + unaffected.with + 1, affected.without + unaffected.without + 1);
}

function atMost({ with: part, of }: Shares['affected'], max: number): { with: number; without: number } {
  const factor = of > max ? max / of : 1;
  return { with: part * factor, without: (of - part) * factor };
}

/** Compares the delay from a cause to its error with any delay within the window. */
export function evidenceOfDelay(delayS: number, withinS: number): number {
  return Math.log(withinS / ((delayS + DELAY_S) * Math.log1p(withinS / DELAY_S)));
}

/** Logarithm of the odds of any one change before anything is known of it. */
const PRIOR = -4;
/** Logarithm of the odds of a label: the cause is something common to its agents that no change shows. */
export const PRIOR_OF_LABEL = -5;
/** Events that follow from an error or its cause, or change nothing on the host, more often than they are a cause. */
const CONSEQUENCES: Partial<Record<AgentEventKind, number>> = {
  offline: -4,
  online: -4,
  cloned: -4,
  restarted: -4,
  rebooted: -1,
  registered: -1,
  unit: -0.5,
};
/** A program that stops running usually fails for the reason that the error tells. */
const STOP = -4;

/** Tells whether a change is the end of all processes of a program. Agents note processes apart from the file. */
export const isStop = ({ kind, field, to }: Pick<MergedChange, 'kind' | 'field'> & { to: string | undefined }) =>
  kind === 'program' && field.endsWith(' (running)') && to === '';

export const evidenceOfKind = (change: Parameters<typeof isStop>[0]): number =>
  PRIOR + (isStop(change) ? STOP : (CONSEQUENCES[change.kind] ?? 0));

/** A change back to a value that the host had before, without the error, or to one that it left before the error. */
const PAST = -3;

/** Evidence of a change that is such on a share of the affected agents. */
export const evidenceOfPast = (share: number): number => PAST * share;

/** Logarithm of the beta function. */
const lnBeta = (a: number, b: number) => lnGamma(a) + lnGamma(b) - lnGamma(a + b);

/** Logarithm of the gamma function by Stirling's series, for positive numbers. */
function lnGamma(x: number): number {
  // The series is exact enough from 7 on; below, gamma(x) = gamma(x + 1) / x.
  let [shifted, product] = [x, 1];
  for (; shifted < 7; shifted += 1) product *= shifted;
  const series = 1 / (12 * shifted) - 1 / (360 * shifted ** 3) + 1 / (1260 * shifted ** 5);
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}
