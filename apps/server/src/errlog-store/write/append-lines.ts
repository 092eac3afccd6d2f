// Appends the lines of a batch as a segment, in the transaction that counts them.
import { type SqlTx, type SqlValue, statement } from '@quarterdeck/core/db';
import { encodeSegment, type GroupLines, type SegmentRow } from '../segments/segment.ts';
import { splitLines } from '../segments/split.ts';

/** Name of the setting with the id of the next line. */
const NEXT_LINE = 'errlog_next_line';
const TAKE_IDS = statement({
  sqlite: `UPDATE setting SET value = CAST(CAST(value AS INTEGER) + ? AS TEXT) WHERE name = '${NEXT_LINE}'
    RETURNING CAST(value AS INTEGER) AS next`,
  postgresql: `UPDATE setting SET value = (value::int8 + $1)::text WHERE name = '${NEXT_LINE}'
    RETURNING value::int8 AS next`,
});
const INSERT = statement(
  `INSERT INTO errlog_segment
    (id, last_id, n, from_time, to_time, day, packed, bytes, "groups", filter, numbers, texts)
   VALUES (?, ?, ?, ?, ?, ?, FALSE, ?, ?, ?, ?, ?)`,
);
const DAY_S = 86_400;

/** Stores lines, whose ids are counted from 0 in the batch. `nowS` is their arrival, Unix seconds. */
export async function appendLines({ sql }: SqlTx, content: readonly GroupLines[], nowS: number): Promise<void> {
  const size = content.reduce((most, { lines }) => Math.max(most, (lines.at(-1)?.id ?? -1) + 1), 0);
  if (size === 0) return;
  const next = (await sql.get<{ next: number }>(TAKE_IDS, size))?.next;
  if (next === undefined) throw new Error('the database does not know the id of the next line');
  for (const part of splitLines(content)) {
    await sql.run(INSERT, ...valuesOf(encodeSegment(part, 'fresh', next - size), Math.floor(nowS / DAY_S)));
  }
}

function valuesOf(row: SegmentRow, day: number): SqlValue[] {
  const { id, last_id, n, from_time, to_time, bytes, groups, filter, numbers, texts } = row;
  return [id, last_id, n, from_time, to_time, day, bytes, groups, filter, numbers, texts];
}
