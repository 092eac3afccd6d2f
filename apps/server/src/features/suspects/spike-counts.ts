// Counts an error by the minute and finds the sources on which it became more frequent.
import type { Database } from '@quarterdeck/core/db';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import { errlogStore, firstMinuteKept, MINUTES_KEPT_S, minuteOf } from '@quarterdeck/store';
import type { AffectedGroup } from './affected-groups.ts';
import { findRises, type GroupMinute, type Rises, risesAround } from './rises.ts';

/** Most rows of minutes that are added up. */
const ROWS_MAX = 20_000;
/** Most rows of minutes that are read one by one. */
const OWN_ROWS_MAX = 6_000;
const MINUTES_KEPT = MINUTES_KEPT_S / 60;
/** Groups of one statement. The event loop is free between two of them. */
const SLICE = 250;
/** Minutes of a spike that are compared with the minutes before it. */
const SPIKE_MINUTES = 3;
const BEFORE_MINUTES = 6;
/** Share of the growth that the sources of a spike have together, the largest first. */
const PART = 0.95;
/** Share of the smallest of these that makes another source part of the spike. */
const NEARLY = 0.5;
/** Share of the growth that is enough for the rises to be all of a spike. */
const MOST = 0.5;

/** Counts of consecutive minutes. */
export interface MinuteCounts {
  /** The first minute, counted from 1970. */
  readonly from: number;
  readonly counts: readonly number[];
}

/** Counts an error in each minute, as far back as minutes are kept, on the sources with the most occurrences. */
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

/** Counts an error in the minute of a time; if its minutes are not kept, in its hour up to then. */
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
  // Groups that began later have no occurrences then.
  const there = groups.filter(({ began }) => began < (minute + 1) * 60);
  const store = errlogStore(db);
  await inSlices(there, eventLoop, async (ids) => {
    for (const { n } of await store.countByMinute(ids, from, minute)) sum += n;
  });
  return sum;
}

/** Returns the most frequent groups, as many as their minutes can be read. */
const mostFrequent = (groups: readonly AffectedGroup[]): AffectedGroup[] =>
  firstOf(
    [...groups].sort((a, b) => b.count - a.count),
    ROWS_MAX,
  );

/** Returns the first groups, as many as their minutes can be read. */
function firstOf(sorted: readonly AffectedGroup[], rowsMax: number): AffectedGroup[] {
  const taken: AffectedGroup[] = [];
  let rows = 0;
  for (const group of sorted) {
    rows += Math.min(group.count, MINUTES_KEPT);
    if (rows > rowsMax && taken.length > 0) break;
    taken.push(group);
  }
  return taken;
}

/** Finds rises on single sources: on those with the fewest occurrences, where a rise is seen best. */
export async function readRises(
  db: Database,
  groups: readonly AffectedGroup[],
  from: number,
  last: number,
  eventLoop: EventLoopYield,
): Promise<Rises> {
  const store = errlogStore(db);
  const rows: GroupMinute[] = [];
  const fewest = firstOf(
    [...groups].sort((a, b) => a.count - b.count),
    OWN_ROWS_MAX,
  );
  await inSlices(fewest, eventLoop, async (ids) => {
    for (const row of await store.minutesOfGroups(ids, from, last)) rows.push(row);
  });
  const begins = groups.map(({ began }) => minuteOf(began));
  return findRises(rows, begins, from, last);
}

/** Groups of a spike, and the minutes at which it began on some of them. */
export interface SpikeGroups {
  readonly groups: readonly AffectedGroup[];
  readonly begins: ReadonlyMap<number, number>;
}

/** Returns the groups whose error became more frequent in a minute. */
export async function groupsOfSpike(
  db: Database,
  groups: readonly AffectedGroup[],
  minute: number,
  { rises }: Rises,
  eventLoop: EventLoopYield,
): Promise<SpikeGroups> {
  const begins = risesAround(rises, minute);
  const more = new Map<number, number>();
  let [total, ofRisen] = [0, 0];
  const store = errlogStore(db);
  const span = { minute, before: BEFORE_MINUTES, after: SPIKE_MINUTES };
  await inSlices(groups, eventLoop, async (ids) => {
    for (const { id, growth } of await store.growthOfGroups(ids, span)) {
      if (growth > 0) more.set(id, growth);
      // Chance adds on some groups and takes from others.
      total += growth;
      if (begins.has(id)) ofRisen += growth;
    }
  });
  if (begins.size > 0 && ofRisen >= total * MOST) {
    return { groups: groups.filter(({ id }) => begins.has(id)), begins };
  }
  const least = leastPart([...more.values()]);
  return { groups: groups.filter(({ id }) => (more.get(id) ?? 0) >= least && more.has(id)), begins };
}

/** Returns the least growth of a source that is part of a spike. */
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
