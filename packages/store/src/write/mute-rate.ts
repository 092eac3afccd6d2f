// Mutes by rate (`100x/1h`): tells whether a group exceeds its rate, to the second as long as its occurrences are
// kept.
import { type Sql, type Statement, type SyncSql, statement } from '@quarterdeck/core/db';
import { DamagedPart } from '../segments/damage.ts';
import type { SegmentRow } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { eachMinute, type HourRow, hourOf } from '../tables/group-minutes.ts';
import { type GroupStatus, rateOf } from '../tables/group-state.ts';
import { minuteOf } from '../tables/minutes.ts';
import type { NewLines } from './new-lines.ts';

// Up to the last minute of the lines, which may be late.
const HOURS = statement('SELECT hour, minutes FROM errlog_hour WHERE errlog_id = ? AND hour >= ? AND hour <= ?');

/** Most segments read for one minute. */
const SEGMENTS_MAX = 1_000;
const SEGMENTS = statement(
  `SELECT id, n, from_time, "groups", numbers FROM errlog_segment WHERE to_time > ? AND from_time < ?
   ORDER BY to_time LIMIT ${SEGMENTS_MAX}`,
);

/** A group before a batch, and the batch's lines of it. Times are Unix seconds. */
interface RepeatedGroup {
  readonly known: GroupStatus & { readonly id: number };
  readonly logTime: number;
  /** Numbers of its lines. */
  readonly lines: readonly number[];
}

/** A query that the synchronous and the asynchronous caller run. */
interface Query {
  readonly statement: Statement;
  readonly values: readonly number[];
}

/** Tells whether a batch that is not stored yet ends a mute by rate. */
export async function rateIsOver(sql: Sql, repeated: RepeatedGroup, lines: NewLines): Promise<boolean> {
  if (rateOf(repeated.known) === undefined) return false;
  const queries = rateQueries(repeated, lines);
  let step = queries.next([]);
  while (!step.done) step = queries.next(await sql.all(step.value.statement, ...step.value.values));
  return step.value;
}

/** {@link rateIsOver} for a synchronous database. */
export function rateIsOverNow(sql: SyncSql, repeated: RepeatedGroup, lines: NewLines): boolean {
  // Of nearly all groups there is nothing to be asked.
  if (rateOf(repeated.known) === undefined) return false;
  const queries = rateQueries(repeated, lines);
  let step = queries.next([]);
  while (!step.done) step = queries.next(sql.all(step.value.statement, ...step.value.values));
  return step.value;
}

function* rateQueries(
  { known, logTime, lines: numbers }: RepeatedGroup,
  lines: NewLines,
): Generator<Query, boolean, unknown[]> {
  const rate = rateOf(known);
  if (rate === undefined) return false;
  // Stored occurrences of the second of the mute may be from before it.
  const since = Math.max(logTime - rate.seconds, known.state_since);
  const first = minuteOf(since);
  const last = minuteOf(logTime);
  const hours = (yield { statement: HOURS, values: [known.id, hourOf(first), hourOf(last)] }) as HourRow[];
  let [inFirst, inOthers] = [0, 0];
  for (const row of hours) {
    eachMinute(row, (minute, n) => {
      if (minute === first) inFirst += n;
      else if (minute > first && minute <= last) inOthers += n;
    });
  }
  const atLeast = inOthers + countSince(numbers, lines, since);
  if (atLeast >= rate.count) return true;
  if (atLeast + inFirst < rate.count) return false;
  const end = (first + 1) * 60;
  let exactly = atLeast;
  const segments = (yield { statement: SEGMENTS, values: [since, end] }) as SegmentRow[];
  for (const segment of segments) exactly += countWithin(segment, known.id, since + 1, end);
  return exactly >= rate.count;
}

/** Number of occurrences of a group in a segment from a time on until before another; 0 where it is damaged. */
function countWithin(segment: SegmentRow, id: number, from: number, to: number): number {
  try {
    return countIn(new SegmentReader(segment), id, from, to);
  } catch (error) {
    // New lines are stored although old ones are damaged: the mute may end later.
    if (error instanceof DamagedPart) return 0;
    throw error;
  }
}

function countIn({ groups, numbers }: SegmentReader, id: number, from: number, to: number): number {
  const group = groups.findIndex((one) => one.id === id);
  if (group < 0) return 0;
  let sum = 0;
  for (const [place, of] of numbers.group.entries()) {
    const time = numbers.time[place] ?? 0;
    if (of === group && time >= from && time < to) sum += numbers.count[place] ?? 0;
  }
  return sum;
}

/** Sum of the counts of some lines, from a time on. */
const countSince = (numbers: readonly number[], { times, counts }: NewLines, since: number) =>
  numbers.reduce((sum, number) => ((times[number] as number) >= since ? sum + (counts[number] as number) : sum), 0);
