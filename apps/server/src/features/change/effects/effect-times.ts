// The test of an error with minutes as its units, for changes of few hosts.
import type { MinuteCount } from '@quarterdeck/store';
import { type EffectSpan, minutesBefore } from './effect-span.ts';
import { chanceOfGreater, tailOfDraw, tailOfShare } from './effect-tests.ts';

/** Probability of a chance result for all errors together: minutes follow from each other more than hosts do. */
const CHANCE_OVER_TIME = 0.0005;
/** Probability of a chance result for the share of an error that rises. */
const CHANCE_OF_SHARE = 0.05;
/** Probability of a chance result over time, for a single error that happens on several hosts. */
const CHANCE_OF_ONE = 0.002;
/** Probability of a chance result over time, for an error that rose on more hosts than on others. */
const CHANCE_OF_USUAL = 0.01;
/** Factor by which the occurrences exceed those of every span of equal length before. */
const CLEARLY_MORE = 1.5;
/** Occurrences of each host before a change that are taken for granted. */
const BELIEF = 5;

/** Occurrences of an error by the minute on both sides. */
export interface TimeSeries {
  readonly own: readonly MinuteCount[];
  readonly others: readonly MinuteCount[];
  /** Hosts of both sides. */
  readonly counts: { readonly own: number; readonly others: number };
  readonly span: EffectSpan;
  readonly direction: 'rise' | 'fall';
}

/**
 * Returns the probability that the occurrences on the hosts that made the change moved by chance. It is undefined
 * where chance is an explanation. Otherwise both of these hold:
 *
 * - They moved against the minutes before: chance is bounded for all errors together.
 * - Their share in those of all hosts moved, too. Something that makes an error rise on all hosts in these minutes is
 *   rare, so this bound is not divided by the number of errors.
 */
export function chanceOverTime(series: TimeSeries, errors: number): number | undefined {
  const { counts, direction } = series;
  const bound = CHANCE_OVER_TIME / Math.max(1, errors);
  const units = unitsOf(series);
  let p = chanceOfUnits(units, direction);
  if (p > bound && direction === 'rise' && p <= CHANCE_OF_ONE) p = Math.min(p, chanceOfHostMinutes(series));
  if (p > bound && direction === 'rise') p = Math.min(p, chanceOfCounts(series, units));
  if (p > bound) return undefined;
  const boundOfShare = direction === 'rise' ? CHANCE_OF_SHARE : bound;
  return counts.others === 0 || chanceOfShare(series, units) <= boundOfShare ? p : undefined;
}

/** Tells whether chance explains a rise on the hosts that made the change against the minutes before. */
export function isUsual(series: TimeSeries): boolean {
  const units = unitsOf(series);
  const chances = [chanceOfUnits(units, series.direction), chanceOfHostMinutes(series), chanceOfCounts(series, units)];
  return Math.min(...chances) > CHANCE_OF_USUAL;
}

/** Occurrences in each unit before and after a change, on both sides. */
interface Units {
  readonly own: Readonly<Record<'before' | 'after', readonly number[]>>;
  readonly others: Readonly<Record<'before' | 'after', readonly number[]>>;
}

function unitsOf({ own, others, span, direction }: TimeSeries): Units {
  // A minute that has not passed can prove a rise, and no fall.
  const to = direction === 'rise' ? span.to : span.wholeTo;
  const around = (counts: readonly MinuteCount[]) => ({
    before: bucketsOf(counts, span.from, span.beforeEnd, span.stepMinutes),
    after: bucketsOf(counts, span.afterStart, to, span.stepMinutes),
  });
  return { own: around(own), others: around(others) };
}

function chanceOfUnits({ own: { before, after } }: Units, direction: TimeSeries['direction']): number {
  const [greater, less] = direction === 'rise' ? [after, before] : [before, after];
  return chanceOfGreater({ own: greater, ownCount: greater.length, other: less, otherCount: less.length }).p;
}

/** Minutes with occurrences, each counted once for each host that made the change. */
function hostMinutes({ own, counts }: TimeSeries, from: number, to: number): number {
  const within = own.filter(({ minute }) => minute >= from && minute < to);
  return sum(within.map(({ groups }) => Math.min(groups, counts.own)));
}

/**
 * Returns the probability that as many of the minutes of each host with occurrences are after the change by chance. In
 * the first minutes after a change there are too few of them to be sure among many errors. A rise that several hosts
 * share is no burst of one of them.
 */
function chanceOfHostMinutes(series: TimeSeries): number {
  const { counts, span } = series;
  const [before, after] = [
    hostMinutes(series, span.from, span.beforeEnd),
    hostMinutes(series, span.afterStart, span.to),
  ];
  const drawn = counts.own * (span.to - span.afterStart);
  return tailOfDraw({ all: drawn + counts.own * minutesBefore(span), marked: before + after, drawn }, after);
}

/**
 * Returns the probability that as many occurrences are after the change by chance, for an error that happened before.
 * There must be clearly more than in any span of this length before. Occurrences weigh less where their number in such
 * spans varied more than by chance.
 */
function chanceOfCounts({ span }: TimeSeries, { own: { before, after } }: Units): number {
  const spans = chunked(before, after.length).map(sum);
  const [total, count] = [sum(before), sum(after)];
  const mean = total / spans.length;
  if (count <= CLEARLY_MORE * Math.max(...spans) || mean === 0) return 1;
  const variance = sum(spans.map((value) => (value - mean) ** 2)) / Math.max(1, spans.length - 1);
  const weight = 1 / Math.max(1, variance / mean);
  const share = span.passed / (span.passed + minutesBefore(span));
  return tailOfShare(Math.round((total + count) * weight), share, Math.floor(count * weight));
}

/**
 * Returns the probability that the share of one side in the occurrences differs by chance from its share before the
 * change (Fisher's exact test). Hosts are taken for equal at first: {@link BELIEF} occurrences are added for each of
 * them before the change. Bursts count less: occurrences weigh as many as there are minutes of hosts with them.
 */
function chanceOfShare(series: TimeSeries, { own, others }: Units): number {
  const { counts, direction, span } = series;
  const happened = sum(own.before) + sum(own.after);
  const weight = happened === 0 ? 1 : hostMinutes(series, span.from, span.to) / happened;
  const weighed = (side: Units['own'], hosts: number) => ({
    before: Math.round(sum(side.before) * weight) + BELIEF * hosts,
    after: Math.round(sum(side.after) * weight),
  });
  const sides = [weighed(own, counts.own), weighed(others, counts.others)] as const;
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

/** Parts of a length; a rest is left out. */
const chunked = (values: readonly number[], length: number): number[][] =>
  Array.from({ length: Math.floor(values.length / length) }, (_, i) => values.slice(i * length, (i + 1) * length));
