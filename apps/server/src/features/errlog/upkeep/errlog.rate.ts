// Whether a group that is muted up to a rate (`100x/1h`) happens more often than that: to the second, as long as its
// occurrences are kept.
import { type Sql, statement } from '@quarterdeck/core/db';
import { minuteOf } from '../intake/errlog.counters.ts';
import { type Occurrence, unpackOccurrences } from '../intake/occurrence-chunk.ts';
import { rateOf, type Standing } from './errlog.state.ts';

// Nothing behind the last minute counts: the lines may be late.
const MINUTES = statement(
  'SELECT minute, n FROM errlog_minute WHERE errlog_id = ? AND minute >= ? AND minute <= ? ORDER BY minute',
);

/** Chunks of a group that are looked through for what happened within one minute. */
const CHUNKS_MAX = 1_000;
const CHUNKS = statement(
  `SELECT from_time, data FROM (SELECT from_time, to_time, data FROM errlog_chunk WHERE errlog_id = ?
   ORDER BY id DESC LIMIT ${CHUNKS_MAX}) c WHERE to_time > ? AND from_time < ?`,
);

/** What a group is before a batch, and what the batch brings of it. Times are Unix seconds. */
interface Happening {
  readonly known: Standing & { readonly id: number };
  readonly logTime: number;
  readonly occurrences: readonly Occurrence[];
}

/** Whether a batch, not stored yet, ends the mute of a group by its rate. */
export async function rateIsOver(sql: Sql, { known, logTime, occurrences }: Happening): Promise<boolean> {
  const rate = rateOf(known);
  if (rate === undefined) return false;
  // What is stored of the second in which the group was muted may be from before that.
  const since = Math.max(logTime - rate.seconds, known.state_since);
  const first = minuteOf(since);
  const minutes = await sql.all<{ minute: number; n: number }>(MINUTES, known.id, first, minuteOf(logTime));
  const inFirst = minutes[0]?.minute === first ? minutes[0].n : 0;
  const inOthers = minutes.reduce((sum, { n }) => sum + n, -inFirst);
  const atLeast = inOthers + countSince(occurrences, since);
  if (atLeast >= rate.count) return true;
  if (atLeast + inFirst < rate.count) return false;
  const end = (first + 1) * 60;
  let exactly = atLeast;
  for (const { from_time, data } of await sql.all<{ from_time: number; data: string }>(CHUNKS, known.id, since, end)) {
    const inMinute = unpackOccurrences(data, from_time).filter(({ time }) => time < end);
    exactly += countSince(inMinute, since + 1);
  }
  return exactly >= rate.count;
}

const countSince = (occurrences: readonly Pick<Occurrence, 'time' | 'count'>[], since: number) =>
  occurrences.reduce((sum, { time, count }) => (time >= since ? sum + count : sum), 0);
