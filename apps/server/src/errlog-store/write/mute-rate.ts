// Mutes by rate (`100x/1h`): tells whether a group exceeds its rate, to the second as long as its occurrences are
// kept.
import { type Sql, type Statement, type SyncSql, statement } from '@quarterdeck/core/db';
import { type GroupStatus, rateOf } from '../tables/group-state.ts';
import { minuteOf } from '../tables/minutes.ts';
import { type Occurrence, unpackOccurrences } from '../tables/occurrence-chunk.ts';

// Up to the last minute of the lines, which may be late.
const MINUTES = statement(
  'SELECT minute, n FROM errlog_minute WHERE errlog_id = ? AND minute >= ? AND minute <= ? ORDER BY minute',
);

/** Most chunks of a group read for one minute. */
const CHUNKS_MAX = 1_000;
const CHUNKS = statement(
  `SELECT from_time, data FROM (SELECT from_time, to_time, data FROM errlog_chunk WHERE errlog_id = ?
   ORDER BY id DESC LIMIT ${CHUNKS_MAX}) c WHERE to_time > ? AND from_time < ?`,
);

/** A group before a batch, and the batch's lines of it. Times are Unix seconds. */
interface RepeatedGroup {
  readonly known: GroupStatus & { readonly id: number };
  readonly logTime: number;
  readonly occurrences: readonly Occurrence[];
}

/** A query that the synchronous and the asynchronous caller run. */
interface Query {
  readonly statement: Statement;
  readonly values: readonly number[];
}

/** Tells whether a batch that is not stored yet ends a mute by rate. */
export async function rateIsOver(sql: Sql, repeated: RepeatedGroup): Promise<boolean> {
  const queries = rateQueries(repeated);
  let step = queries.next([]);
  while (!step.done) step = queries.next(await sql.all(step.value.statement, ...step.value.values));
  return step.value;
}

/** {@link rateIsOver} for a synchronous database. */
export function rateIsOverNow(sql: SyncSql, repeated: RepeatedGroup): boolean {
  const queries = rateQueries(repeated);
  let step = queries.next([]);
  while (!step.done) step = queries.next(sql.all(step.value.statement, ...step.value.values));
  return step.value;
}

function* rateQueries({ known, logTime, occurrences }: RepeatedGroup): Generator<Query, boolean, unknown[]> {
  const rate = rateOf(known);
  if (rate === undefined) return false;
  // Stored occurrences of the second of the mute may be from before it.
  const since = Math.max(logTime - rate.seconds, known.state_since);
  const first = minuteOf(since);
  const minutes = (yield { statement: MINUTES, values: [known.id, first, minuteOf(logTime)] }) as {
    minute: number;
    n: number;
  }[];
  const inFirst = minutes[0]?.minute === first ? minutes[0].n : 0;
  const inOthers = minutes.reduce((sum, { n }) => sum + n, -inFirst);
  const atLeast = inOthers + countSince(occurrences, since);
  if (atLeast >= rate.count) return true;
  if (atLeast + inFirst < rate.count) return false;
  const end = (first + 1) * 60;
  let exactly = atLeast;
  const chunks = (yield { statement: CHUNKS, values: [known.id, since, end] }) as { from_time: number; data: string }[];
  for (const { from_time, data } of chunks) {
    const inMinute = unpackOccurrences(data, from_time).filter(({ time }) => time < end);
    exactly += countSince(inMinute, since + 1);
  }
  return exactly >= rate.count;
}

const countSince = (occurrences: readonly Pick<Occurrence, 'time' | 'count'>[], since: number) =>
  occurrences.reduce((sum, { time, count }) => (time >= since ? sum + count : sum), 0);
