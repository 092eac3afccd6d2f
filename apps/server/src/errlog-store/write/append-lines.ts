// Appends the lines of a batch as segments, in the transaction that counts them.
import { type SqlTx, statement } from '@quarterdeck/core/db';
import { encodeSegment, type GroupLines, type SegmentRow } from '../segments/segment.ts';
import { sizeOf, splitLines } from '../segments/split.ts';
import { insertSegment, NEXT_LINE } from '../tables/segment-rows.ts';

const TAKE_IDS = statement({
  sqlite: `UPDATE setting SET value = CAST(CAST(value AS INTEGER) + ? AS TEXT) WHERE name = '${NEXT_LINE}'
    RETURNING CAST(value AS INTEGER) AS next`,
  postgresql: `UPDATE setting SET value = (value::int8 + $1)::text WHERE name = '${NEXT_LINE}'
    RETURNING value::int8 AS next`,
});
const DAY_S = 86_400;

/** Lines that are encoded and wait for their ids. */
export interface EncodedLines {
  /** Number of ids that they need. */
  readonly size: number;
  /** Ids are counted from 0. */
  readonly segments: readonly SegmentRow[];
}

/** Encodes lines, whose ids are counted from 0 in the batch. */
export function encodeLines(content: readonly GroupLines[]): EncodedLines {
  return {
    size: sizeOf(content),
    segments: Array.from(splitLines(content), (part) => encodeSegment(part, 'fresh')),
  };
}

/**
 * Takes ids of lines and returns the first. Until this write ends no other one on any server takes ids, so ids rise in
 * the order of the commits.
 */
export async function takeLineIds(tx: SqlTx, size: number): Promise<number> {
  const next = (await tx.sql.get<{ next: number }>(TAKE_IDS, size))?.next;
  if (next === undefined) throw new Error('the database does not know the id of the next line');
  return next - size;
}

/** Stores encoded lines. `nowS` is their arrival, Unix seconds. */
export async function insertLines(tx: SqlTx, { segments }: EncodedLines, firstId: number, nowS: number): Promise<void> {
  const day = Math.floor(nowS / DAY_S);
  for (const segment of segments) {
    const ids = { id: firstId + segment.id, last_id: firstId + segment.last_id };
    await insertSegment(tx, { ...segment, ...ids, day, packed: 0 });
  }
}
