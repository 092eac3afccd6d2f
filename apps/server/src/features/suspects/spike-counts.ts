// How often an error happened by the minute, and on which sources it became more frequent.
import { type Database, statement } from '@quarterdeck/core/db';
import { minuteOf } from '../../errlog-store/write/counters.ts';
import type { EventLoopYield } from '../../event-loop-yield.ts';
import { inJson } from '../../sql/among.ts';
import { MINUTES_KEPT_S } from '../errlog/errlog.retention.ts';
import type { Member } from './affected.repo.ts';

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

const ofMembers = (text: (isMember: string) => string) => statement((dialect) => text(inJson(dialect, 'errlog_id')));

const MINUTES = ofMembers(
  (isMember) =>
    `SELECT minute, CAST(sum(n) AS bigint) AS n FROM errlog_minute WHERE ${isMember} AND minute >= ? AND minute <= ? GROUP BY minute`,
);
// Both sides in one sum: a minute of the spike weighs what the minutes before make up for together.
const GROWTH = ofMembers(
  (isMember) =>
    `SELECT errlog_id AS id, CAST(sum(n * CASE WHEN minute >= ? THEN ${BEFORE_MINUTES} ELSE -${SPIKE_MINUTES} END) AS bigint) AS growth
     FROM errlog_minute WHERE ${isMember} AND minute >= ? AND minute < ? GROUP BY errlog_id`,
);

interface Growth {
  readonly id: number;
  /** By how much it happened more often than before, times the minutes before. */
  readonly growth: number;
}

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
  members: readonly Member[],
  nowS: number,
  turns: EventLoopYield,
): Promise<MinuteCounts> {
  const began = members.reduce((least, member) => Math.min(least, member.began), nowS);
  const from = Math.max(firstMinuteKept(nowS), minuteOf(began));
  const last = minuteOf(nowS);
  const counts: number[] = new Array(Math.max(0, last - from + 1)).fill(0);
  await inSlices(mostFrequent(members), turns, async (json) => {
    for (const { minute, n } of await minutesOf(db, json, from, last))
      counts[minute - from] = (counts[minute - from] ?? 0) + n;
  });
  return { from, counts };
}

const minutesOf = ({ read }: Database, ids: string, from: number, to: number) =>
  read.sql.all<{ minute: number; n: number }>(MINUTES, ids, from, to);

/** How often an error happened in the minute of a time; in its hour up to then, where the minutes are not kept any more. */
export async function countAt(
  db: Database,
  members: readonly Member[],
  timeS: number,
  nowS: number,
  turns: EventLoopYield,
): Promise<number> {
  const minute = minuteOf(timeS);
  const from = minute < firstMinuteKept(nowS) ? minute - (minute % 60) : minute;
  let sum = 0;
  // Whoever began later did not happen then.
  const there = members.filter(({ began }) => began < (minute + 1) * 60);
  await inSlices(there, turns, async (json) => {
    for (const { n } of await minutesOf(db, json, from, minute)) sum += n;
  });
  return sum;
}

/** The members that happened most, as many as their minutes can be read of. */
function mostFrequent(members: readonly Member[]): Member[] {
  const sorted = [...members].sort((a, b) => b.count - a.count);
  const taken: Member[] = [];
  let rows = 0;
  for (const member of sorted) {
    rows += Math.min(member.count, MINUTES_KEPT);
    if (rows > ROWS_MAX && taken.length > 0) break;
    taken.push(member);
  }
  return taken;
}

/** The members on which an error became more frequent in a minute. */
export async function membersOfSpike(
  db: Database,
  members: readonly Member[],
  minute: number,
  turns: EventLoopYield,
): Promise<Member[]> {
  const more = new Map<number, number>();
  await inSlices(members, turns, async (json) => {
    const [from, to] = [minute - BEFORE_MINUTES, minute + SPIKE_MINUTES];
    const slice = await db.read.sql.all<Growth>(GROWTH, minute, json, from, to);
    for (const { id, growth } of slice) if (growth > 0) more.set(id, growth / BEFORE_MINUTES);
  });
  const least = leastPart([...more.values()]);
  return members.filter(({ id }) => (more.get(id) ?? 0) >= least && more.has(id));
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

const inSlices = (members: readonly Member[], turns: EventLoopYield, work: (ids: string) => Promise<void>) =>
  turns.inParts(members, SLICE, (part) => work(JSON.stringify(part.map(({ id }) => id))));
