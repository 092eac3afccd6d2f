// The test of an error with minutes as its units, for changes of few hosts.
import type { CountSpan, MinuteCount } from '../../../errlog-store/errlog-store.ts';
import type { ErrorCounts, SideCounts } from './effect-counts.ts';
import { chanceOfGreater, tailOfDraw } from './effect-tests.ts';

/** Probability of a chance result for all errors together: minutes follow from each other more than hosts do. */
const CHANCE_OVER_TIME = 0.01;
/** Occurrences of each host before a change that are taken for granted. */
const BELIEF = 5;

/** Returns the highest probability that still counts as no chance, for a number of errors. */
export const timeBoundFor = (errors: number): number => CHANCE_OVER_TIME / Math.max(1, errors);

/** An error with its occurrences by the minute on both sides. */
export interface TimeSeries {
  readonly error: Pick<ErrorCounts, 'own' | 'others'>;
  readonly own: readonly MinuteCount[];
  readonly others: readonly MinuteCount[];
  /** Hosts of both sides. */
  readonly counts: { readonly own: number; readonly others: number };
  readonly span: CountSpan;
  /** Minutes of one unit. */
  readonly stepMinutes: number;
  readonly direction: 'rise' | 'fall';
}

/**
 * Returns the higher of two probabilities: that the occurrences on the hosts that made the change moved by chance, and
 * that their share in those of all hosts did. Without other hosts it is the first one.
 */
export function chanceOverTime(series: TimeSeries): number {
  const { own, others, counts, span, stepMinutes, direction } = series;
  const before = bucketsOf(own, span.from, span.beforeEnd, stepMinutes);
  const after = bucketsOf(own, span.afterStart, span.to, stepMinutes);
  const [greater, less] = direction === 'rise' ? [after, before] : [before, after];
  const { p } = chanceOfGreater({
    own: greater,
    ownCount: greater.length,
    other: less,
    otherCount: less.length,
  });
  if (counts.others === 0) return p;
  return Math.max(p, chanceOfShare(series, after, bucketsOf(others, span.afterStart, span.to, stepMinutes)));
}

/**
 * Returns the probability that the share of one side in the occurrences differs by chance from its share before the
 * change (Fisher's exact test). Hosts are taken for equal at first: {@link BELIEF} occurrences are added for each of
 * them before the change. A burst counts less: occurrences weigh one over their mean number in a unit, weighted by
 * themselves.
 */
function chanceOfShare({ error, counts, direction }: TimeSeries, own: readonly number[], others: readonly number[]) {
  const both = own.map((value, i) => value + (others[i] ?? 0));
  const burst = Math.max(1, sum(both.map((value) => value * value)) / Math.max(1, sum(both)));
  const weighed = (side: SideCounts, hosts: number, after: readonly number[]) => ({
    before: Math.round(side.before / burst) + BELIEF * hosts,
    after: Math.round(sum(after) / burst),
  });
  const sides = [weighed(error.own, counts.own, own), weighed(error.others, counts.others, others)] as const;
  const [greater, less] = direction === 'rise' ? sides : ([sides[1], sides[0]] as const);
  const marked = greater.before + greater.after;
  const all = marked + less.before + less.after;
  return tailOfDraw({ all, marked, drawn: greater.after + less.after }, greater.after);
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Sums of the units from one minute to another. */
function bucketsOf(counts: readonly MinuteCount[], from: number, to: number, step: number): number[] {
  const buckets: number[] = new Array(Math.ceil((to - from) / step)).fill(0);
  for (const { minute, n } of counts) {
    if (minute < from || minute >= to) continue;
    const at = Math.floor((minute - from) / step);
    buckets[at] = (buckets[at] ?? 0) + n;
  }
  return buckets;
}
