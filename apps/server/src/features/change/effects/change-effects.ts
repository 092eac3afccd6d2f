// Effects of a change: compares how errors developed on the hosts that made it with how they did on the others.
import { type Change, type ChangeEffect, type ChangeEffects, EFFECTS_MAX } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import {
  type CountSpan,
  errlogStore,
  firstMinuteKept,
  type MinuteCount,
  minuteOf,
} from '../../../errlog-store/errlog-store.ts';
import { EventLoopYield } from '../../../process/event-loop-yield.ts';
import { countErrors, type ErrorCounts } from './effect-counts.ts';
import { type EffectSides, effectSides } from './effect-sides.ts';
import { boundFor, type Chance, chanceOfGreater, tailOfDraw } from './effect-tests.ts';
import { chanceOverTime, timeBoundFor } from './effect-times.ts';

/** A rate has to change by this factor. In a large fleet, smaller differences are certain but do not matter. */
const FACTOR = 1.5;
/** Minutes after which the absence of a difference is told. */
const ENOUGH_MINUTES = 10;
/** Hosts are enough where a perfect separation of them has at most this probability. */
const ENOUGH_HOSTS = 0.001;
/** Errors of this level or worse make the verdict `worse`. */
const ERR = 4;
/** Groups of one read. The event loop is free between two of them. */
const GROUPS_AT_ONCE = 250;
/** Most errors that are compared minute by minute. */
const OVER_TIME_MAX = 200;

type Direction = 'rise' | 'fall';

/** An error and the probability that it changed by chance. */
interface Judged {
  readonly error: ErrorCounts;
  readonly direction: Direction;
  readonly p: number;
}

/**
 * Finds the errors that a change made more or less frequent.
 *
 * An error counts as changed by a change if both of these hold:
 *
 * - On the hosts that made the change, its rate rose to 1.5 times or more, or fell to two thirds or less.
 * - Chance explains the difference to the other hosts with a probability of at most 5 % for all errors together.
 *
 * The unit of the test is the host, because the occurrences on one host come in bursts. Each host has its rise.
 * Fisher's exact test compares the numbers of hosts with a great rise on both sides. Hosts may have different rates;
 * the test assumes that they were not chosen by their errors. Bonferroni's and Tarone's correction is for many errors.
 *
 * With few hosts, or without others, the other errors are tested a second time with minutes as the units, and 1 % as
 * the bound. Such an error moved against the minutes before and against the other hosts. It did so on at least half of
 * the hosts that made the change.
 */
export async function findEffects(
  db: Database,
  change: Change,
  withinS: number,
  nowMs: number,
): Promise<ChangeEffects> {
  const eventLoop = new EventLoopYield();
  const nowS = Math.floor(nowMs / 1000);
  const { span, stepMinutes } = spanOf(Math.floor(change.time), withinS, nowS);
  const times = { time: change.time, from: span.from * 60, until: Math.max(Math.floor(change.time), span.to * 60) };
  const sides = await effectSides(db, change, { fromMs: span.from * 60_000, toMs: nowMs }, eventLoop);
  const minutes = span.to - span.afterStart;
  const counted = minutes > 0 ? await countErrors(db, span, sides, eventLoop) : { errors: [], complete: true };
  const { errors } = counted;
  const answer = { isEmpty: false, searched: counted.complete, about: 'errors' } as const;
  const { complete } = await errlogStore(db).accountOf(
    { startTime: times.from, endTime: times.until },
    answer,
    nowS,
    undefined,
  );
  const counts = { hosts: sides.own.size, others: sides.others.size };
  if (sides.own.size === 0 || minutes === 0) return { verdict: 'too_early', ...times, ...counts, complete, errors: [] };

  const judged: Judged[] = [];
  for (const direction of ['rise', 'fall'] as const) {
    const byHosts = sides.others.size > 0 ? await judgeByHosts(errors, direction, sides, span, eventLoop) : [];
    judged.push(...byHosts);
    if (areEnough(sides)) continue;
    const known = new Set(byHosts.map(({ error }) => error));
    const context = { known, direction, sides, span, stepMinutes, eventLoop };
    judged.push(...(await judgeOverTime(db, errors, context)));
  }
  const isWorse = judged.some(({ error, direction }) => direction === 'rise' && error.level <= ERR);
  const unchanged = minutes < ENOUGH_MINUTES ? 'too_early' : 'no_difference';
  const verdict = isWorse ? 'worse' : unchanged;
  return { verdict, ...times, ...counts, complete, errors: await described(db, judged) };
}

/**
 * Minutes that are compared. The minute of the change counts as after it: without an effect both have the same rate.
 * Whole hours are compared if no minutes are kept; the hour of the change is then left out.
 */
function spanOf(timeS: number, withinS: number, nowS: number): { span: CountSpan; stepMinutes: number } {
  const [time, within, now] = [minuteOf(timeS), Math.floor(withinS / 60), minuteOf(nowS)];
  const stepMinutes = time - within >= firstMinuteKept(nowS) ? 1 : 60;
  const down = (minute: number) => Math.floor(minute / stepMinutes) * stepMinutes;
  const beforeEnd = down(time);
  const afterStart = stepMinutes === 1 ? time : beforeEnd + stepMinutes;
  const length = Math.max(stepMinutes, down(within));
  const to = Math.max(afterStart, Math.min(afterStart + length, down(now)));
  return { span: { from: beforeEnd - length, beforeEnd, afterStart, to }, stepMinutes };
}

const areEnough = ({ own, others }: EffectSides): boolean => {
  const all = own.size + others.size;
  return others.size > 0 && tailOfDraw({ all, marked: own.size, drawn: own.size }, own.size) <= ENOUGH_HOSTS;
};

/** Tells whether the rate on the hosts that made the change moved far enough in a direction. */
function hasMoved({ own }: ErrorCounts, direction: Direction, span: CountSpan): boolean {
  const [before, after] = [own.before / (span.beforeEnd - span.from), own.after / (span.to - span.afterStart)];
  return direction === 'rise' ? after > before && after >= FACTOR * before : before > after && before >= FACTOR * after;
}

async function judgeByHosts(
  errors: readonly ErrorCounts[],
  direction: Direction,
  sides: EffectSides,
  span: CountSpan,
  eventLoop: EventLoopYield,
): Promise<Judged[]> {
  const sign = direction === 'rise' ? 1 : -1;
  const tests: { readonly error: ErrorCounts; readonly chance: Chance }[] = [];
  for (const error of errors) {
    await eventLoop.pause();
    const chance = chanceOfGreater({
      own: [...error.own.rises.values()].map((rise) => sign * rise),
      ownCount: sides.own.size,
      other: [...error.others.rises.values()].map((rise) => sign * rise),
      otherCount: sides.others.size,
    });
    tests.push({ error, chance });
  }
  const bound = boundFor(tests.map(({ chance }) => chance));
  return tests
    .filter(({ error, chance: { p } }) => p <= bound && hasMoved(error, direction, span))
    .map(({ error, chance: { p } }) => ({ error, direction, p }));
}

interface OverTime {
  /** Errors that are judged already. */
  readonly known: ReadonlySet<ErrorCounts>;
  readonly direction: Direction;
  readonly sides: EffectSides;
  readonly span: CountSpan;
  readonly stepMinutes: number;
  readonly eventLoop: EventLoopYield;
}

async function judgeOverTime(db: Database, errors: readonly ErrorCounts[], context: OverTime): Promise<Judged[]> {
  const { known, direction, sides, span, stepMinutes, eventLoop } = context;
  const sign = direction === 'rise' ? 1 : -1;
  const onHalf = ({ own }: ErrorCounts) =>
    [...own.rises.values()].filter((rise) => sign * rise > 0).length >= sides.own.size / 2;
  const candidates = errors
    .filter((error) => !known.has(error) && hasMoved(error, direction, span) && onHalf(error))
    .sort((a, b) => b.own.before + b.own.after - a.own.before - a.own.after)
    .slice(0, OVER_TIME_MAX);
  const store = errlogStore(db);
  const series = async (groups: readonly number[]) => {
    const counts: MinuteCount[] = [];
    await eventLoop.inParts(groups, GROUPS_AT_ONCE, async (part) => {
      counts.push(...(await store.countByMinute(part, span.from, span.to - 1)));
    });
    return counts;
  };
  const judged: Judged[] = [];
  for (const error of candidates) {
    const own = await series(error.own.groups);
    const others = await series(error.others.groups);
    const counts = { own: sides.own.size, others: sides.others.size };
    const p = chanceOverTime({ error, own, others, counts, span, stepMinutes, direction });
    if (p <= timeBoundFor(errors.length)) judged.push({ error, direction, p });
  }
  return judged;
}

/** The changed errors as the wire has them: those that rose first, then by how certain they are. */
async function described(db: Database, judged: readonly Judged[]): Promise<ChangeEffect[]> {
  const sorted = judged
    .toSorted((a, b) => Number(b.direction === 'rise') - Number(a.direction === 'rise') || a.p - b.p)
    .slice(0, EFFECTS_MAX);
  const groups = await errlogStore(db).groupsById(sorted.map(({ error }) => error.group));
  const byId = new Map(groups.map((group) => [group.id, group]));
  return sorted.flatMap(({ error: { group, level, own, others }, direction }) => {
    const entry = byId.get(group);
    if (entry === undefined) return [];
    return {
      id: group,
      level,
      log: entry.log,
      service: entry.service ?? '',
      before: own.before,
      after: own.after,
      others_before: others.before,
      others_after: others.after,
      verdict: verdictOf(direction, own.before),
    };
  });
}

function verdictOf(direction: Direction, before: number): ChangeEffect['verdict'] {
  if (direction === 'fall') return 'less';
  return before === 0 ? 'new' : 'more';
}
