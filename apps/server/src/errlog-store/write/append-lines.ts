// Appends the lines of a batch as a segment, in the transaction that counts them.
import { type SqlTx, statement } from '@quarterdeck/core/db';
import { encodeSegment, type GroupLines } from '../segments/segment.ts';
import { sizeOf, splitLines } from '../segments/split.ts';
import { insertSegment, NEXT_LINE } from '../tables/segment-rows.ts';

const TAKE_IDS = statement({
  sqlite: `UPDATE setting SET value = CAST(CAST(value AS INTEGER) + ? AS TEXT) WHERE name = '${NEXT_LINE}'
    RETURNING CAST(value AS INTEGER) AS next`,
  postgresql: `UPDATE setting SET value = (value::int8 + $1)::text WHERE name = '${NEXT_LINE}'
    RETURNING value::int8 AS next`,
});
const DAY_S = 86_400;

/** Stores lines, whose ids are counted from 0 in the batch. `nowS` is their arrival, Unix seconds. */
export async function appendLines(tx: SqlTx, content: readonly GroupLines[], nowS: number): Promise<void> {
  const size = sizeOf(content);
  if (size === 0) return;
  const next = (await tx.sql.get<{ next: number }>(TAKE_IDS, size))?.next;
  if (next === undefined) throw new Error('the database does not know the id of the next line');
  for (const part of splitLines(content)) {
    await insertSegment(tx, { ...encodeSegment(part, 'fresh', next - size), day: Math.floor(nowS / DAY_S), packed: 0 });
  }
}
