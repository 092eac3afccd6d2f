// Judges which errors a change made more or less frequent, by their counts on both sides.

import type { EventLoopYield } from '@quarterdeck/core/threads';
import type { MinuteCount } from '@quarterdeck/store';
import type { ErrorCounts } from './effect-counts.ts';
import { type EffectSpan, minutesBefore } from './effect-span.ts';
import { boundFor, type Chance, chanceOfGreater } from './effect-tests.ts';
import { chanceOverTime, isUsual } from './effect-times.ts';

/** A rate has to change by this factor. In a large fleet, smaller differences are certain but do not matter. */
const FACTOR = 1.5;
/** Most errors that are compared minute by minute. */
const OVER_TIME_MAX = 200;

type Direction = 'rise' | 'fall';

/** An error and the probability that it changed by chance. */
export interface Judged {
  readonly error: ErrorCounts;
  readonly direction: Direction;
  readonly p: number;
}

/** Counts of all errors around a change, and the hosts on both sides. */
export interface Observed {
  readonly errors: readonly ErrorCounts[];
  /** Hosts that made the change, and the others. */
  readonly hosts: { readonly own: number; readonly others: number };
  readonly span: EffectSpan;
  /** Reads the occurrences of groups in each minute of the span. */
  series(groups: readonly number[]): Promise<readonly MinuteCount[]>;
}

/**
 * Finds the errors that a change made more or less frequent.
 *
 * An error counts as changed by a change if both of these hold:
 *
 * - On the hosts that made the change, its rate rose to 1.5 times or more, or fell to two thirds or less.
 * - Chance explains the difference to the other hosts with a probability of at most 0.3 % for all errors together.
 *
 * The unit of the test is the host, because the occurrences on one host come in bursts. Each host has its rise.
 * Fisher's exact test compares the numbers of hosts with a great rise on both sides. Hosts may have different rates;
 * the test assumes that they were not chosen by their errors. Bonferroni's and Tarone's correction is for many errors.
 *
 * The other errors are tested a second time with minutes as the units. Such an error moved against the minutes before
 * and against the other hosts. It did so on at least half of the hosts that made the change.
 */
export async function judgeEffects(observed: Observed, eventLoop: EventLoopYield): Promise<Judged[]> {
  const { hosts } = observed;
  const judged: Judged[] = [];
  for (const direction of ['rise', 'fall'] as const) {
    const byHosts = hosts.others > 0 ? await judgeByHosts(observed, direction, eventLoop) : [];
    judged.push(...byHosts);
    const known = new Set(byHosts.map(({ error }) => error));
    judged.push(...(await judgeOverTime(observed, known, direction)));
  }
  return judged;
}

/** Tells whether the rate on the hosts that made the change moved far enough in a direction. */
function hasMoved({ own }: ErrorCounts, direction: Direction, span: EffectSpan): boolean {
  const [before, after] = [own.before / minutesBefore(span), own.after / span.passed];
  return direction === 'rise' ? after > before && after >= FACTOR * before : before > after && before >= FACTOR * after;
}

async function judgeByHosts(
  { errors, hosts, span, series }: Observed,
  direction: Direction,
  eventLoop: EventLoopYield,
): Promise<Judged[]> {
  const sign = direction === 'rise' ? 1 : -1;
  const tests: { readonly error: ErrorCounts; readonly chance: Chance }[] = [];
  for (const error of errors) {
    await eventLoop.pause();
    const chance = chanceOfGreater({
      own: [...error.own.rises.values()].map((rise) => sign * rise),
      ownCount: hosts.own,
      other: [...error.others.rises.values()].map((rise) => sign * rise),
      otherCount: hosts.others,
    });
    tests.push({ error, chance });
  }
  const bound = boundFor(tests.map(({ chance }) => chance));
  const judged: Judged[] = [];
  for (const { error, chance } of tests) {
    if (chance.p > bound || !hasMoved(error, direction, span)) continue;
    // Hosts that never had the error cannot rise, so an error of few hosts has to move against its own past as well.
    const own = error.own.before > 0 && direction === 'rise' ? await series(error.own.groups) : [];
    if (own.length > 0 && isUsual({ own, others: [], counts: hosts, span, direction })) continue;
    judged.push({ error, direction, p: chance.p });
  }
  return judged;
}

async function judgeOverTime(
  { errors, hosts, span, series }: Observed,
  known: ReadonlySet<ErrorCounts>,
  direction: Direction,
): Promise<Judged[]> {
  const sign = direction === 'rise' ? 1 : -1;
  const onHalf = ({ own }: ErrorCounts) =>
    [...own.rises.values()].filter((rise) => sign * rise > 0).length >= hosts.own / 2;
  const candidates = errors
    .filter((error) => !known.has(error) && hasMoved(error, direction, span) && onHalf(error))
    .sort((a, b) => b.own.before + b.own.after - a.own.before - a.own.after)
    .slice(0, OVER_TIME_MAX);
  const judged: Judged[] = [];
  for (const error of candidates) {
    const own = await series(error.own.groups);
    const others = await series(error.others.groups);
    const p = chanceOverTime({ own, others, counts: hosts, span, direction }, errors.length);
    if (p !== undefined) judged.push({ error, direction, p });
  }
  return judged;
}
