// How often an error happened by the minute, and on which sources it became more frequent.
import type { Database } from '@quarterdeck/core/db';
import { errlogStore, minuteOf } from '../../errlog-store/errlog-store.ts';
import type { EventLoopYield } from '../../event-loop-yield.ts';
import { MINUTES_KEPT_S } from '../errlog/errlog.retention.ts';
import type { AffectedGroup } from './affected-groups.ts';

/** Rows of minutes that are added up. */
const ROWS_MAX = 20_000;
const MINUTES_KEPT = MINUTES_KEPT_S / 60;
/** Groups of one statement: what comes after it has its turn in between. */
const SLICE = 250;
/** Minutes of a spike that say who is part of it, and of the time before that it is compared with. */
const SPIKE_MINUTES = 3;
const BEFORE_MINUTES = 6;
/** The sources that make up so much of what is more than before are part of a spike ... */
const PART = 0.95;
/** ... and whoever has this much of what the least of these has. */
const NEARLY = 0.5;

/** Counts of consecutive minutes. */
export interface MinuteCounts {
  /** Minutes since 1970 of the first one. */
  readonly from: number;
  readonly counts: readonly number[];
}

/** The first minute of which the counts are still kept as such: before, they are hours. */
export const firstMinuteKept = (nowS: number) => (Math.floor((nowS - MINUTES_KEPT_S) / 3600) + 1) * 60;

/** How often an error happened in each minute, as far back as minutes are kept: on the sources where it happened most. */
export async function minuteCounts(
  db: Database,
  groups: readonly AffectedGroup[],
  nowS: number,
  eventLoop: EventLoopYield,
): Promise<MinuteCounts> {
  const began = groups.reduce((least, group) => Math.min(least, group.began), nowS);
  const from = Math.max(firstMinuteKept(nowS), minuteOf(began));
  const last = minuteOf(nowS);
  const counts: number[] = new Array(Math.max(0, last - from + 1)).fill(0);
  const store = errlogStore(db);
  await inSlices(mostFrequent(groups), eventLoop, async (ids) => {
    for (const { minute, n } of await store.countByMinute(ids, from, last))
      counts[minute - from] = (counts[minute - from] ?? 0) + n;
  });
  return { from, counts };
}

/** How often an error happened in the minute of a time; in its hour up to then, where the minutes are not kept any more. */
export async function countAt(
  db: Database,
  groups: readonly AffectedGroup[],
  timeS: number,
  nowS: number,
  eventLoop: EventLoopYield,
): Promise<number> {
  const minute = minuteOf(timeS);
  const from = minute < firstMinuteKept(nowS) ? minute - (minute % 60) : minute;
  let sum = 0;
  // Whoever began later did not happen then.
  const there = groups.filter(({ began }) => began < (minute + 1) * 60);
  const store = errlogStore(db);
  await inSlices(there, eventLoop, async (ids) => {
    for (const { n } of await store.countByMinute(ids, from, minute)) sum += n;
  });
  return sum;
}

/** The groups that happened most, as many as their minutes can be read of. */
function mostFrequent(groups: readonly AffectedGroup[]): AffectedGroup[] {
  const sorted = [...groups].sort((a, b) => b.count - a.count);
  const taken: AffectedGroup[] = [];
  let rows = 0;
  for (const group of sorted) {
    rows += Math.min(group.count, MINUTES_KEPT);
    if (rows > ROWS_MAX && taken.length > 0) break;
    taken.push(group);
  }
  return taken;
}

/** The groups on which an error became more frequent in a minute. */
export async function groupsOfSpike(
  db: Database,
  groups: readonly AffectedGroup[],
  minute: number,
  eventLoop: EventLoopYield,
): Promise<AffectedGroup[]> {
  const more = new Map<number, number>();
  const store = errlogStore(db);
  const span = { minute, before: BEFORE_MINUTES, after: SPIKE_MINUTES };
  await inSlices(groups, eventLoop, async (ids) => {
    for (const { id, growth } of await store.growthOfGroups(ids, span)) if (growth > 0) more.set(id, growth);
  });
  const least = leastPart([...more.values()]);
  return groups.filter(({ id }) => (more.get(id) ?? 0) >= least && more.has(id));
}

/** The growth from which on a source is part of a spike. */
function leastPart(growths: readonly number[]): number {
  const sorted = [...growths].sort((a, b) => b - a);
  const total = sorted.reduce((sum, growth) => sum + growth, 0);
  let sum = 0;
  for (const growth of sorted) {
    sum += growth;
    if (sum >= total * PART) return growth * NEARLY;
  }
  return 0;
}

const inSlices = (
  groups: readonly AffectedGroup[],
  eventLoop: EventLoopYield,
  work: (ids: number[]) => Promise<void>,
) => eventLoop.inParts(groups, SLICE, (part) => work(part.map(({ id }) => id)));
