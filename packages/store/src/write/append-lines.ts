// Appends the lines of a batch as segments, in the transaction that counts them.
import { type SqlTx, statement } from '@quarterdeck/core/db';
import { SEGMENT_LINES, type SegmentRow } from '../segments/segment.ts';
import { NEXT_LINE, SEGMENT_COLUMNS } from '../tables/segment-rows.ts';
import { encodeNewLines, type NewGroup } from './fresh-segment.ts';
import type { NewLines } from './new-lines.ts';

const TAKE_IDS = statement({
  sqlite: `UPDATE setting SET value = CAST(CAST(value AS INTEGER) + ? AS TEXT) WHERE name = '${NEXT_LINE}'`,
  postgresql: `UPDATE setting SET value = (value::int8 + $1)::text WHERE name = '${NEXT_LINE}'`,
});
/**
 * Inserts a segment whose ids count from the first of those that were taken. The last value is their number. Without
 * the setting the ids would be NULL, which fails: on PostgreSQL nothing waits for {@link takeLineIds}.
 */
const INSERT = statement(
  `INSERT INTO errlog_segment (${SEGMENT_COLUMNS})
   SELECT taken.id + ?, taken.id + ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
   FROM (SELECT (SELECT CAST(value AS int8) FROM setting WHERE name = '${NEXT_LINE}') - ? AS id) AS taken`,
);
const DAY_S = 86_400;

/** Lines that are encoded and wait for their ids. */
export interface EncodedLines {
  /** Number of ids that they need. */
  readonly size: number;
  /** Ids are counted from 0. */
  readonly segments: readonly SegmentRow[];
}

/** Encodes the lines of groups, which are all lines. Their ids are counted from 0. */
export function encodeLines(lines: NewLines, groups: readonly NewGroup[]): EncodedLines {
  const { length: size } = lines;
  const segments: SegmentRow[] = [];
  for (let from = 0; from < size; from += SEGMENT_LINES) {
    const to = Math.min(size, from + SEGMENT_LINES);
    const part = from === 0 && to === size ? groups : groups.flatMap((group) => linesWithin(group, from, to));
    segments.push(encodeNewLines(lines, part, from, to));
  }
  return { size, segments };
}

function linesWithin({ group, lines }: NewGroup, from: number, to: number): NewGroup[] {
  const some = lines.filter((number) => number >= from && number < to);
  return some.length === 0 ? [] : [{ group, lines: some }];
}

/**
 * Takes ids of lines. Until this write ends no other one on any server takes ids, so ids rise in the order of the
 * commits.
 */
export async function takeLineIds(tx: SqlTx, size: number): Promise<void> {
  const { changes } = await tx.sql.run(TAKE_IDS, size);
  if (changes === 0) throw new Error('the database does not know the id of the next line');
}

/** Stores encoded lines under the ids that were taken last. `nowS` is their arrival, Unix seconds. */
export async function insertLines({ sql }: SqlTx, { segments, size }: EncodedLines, nowS: number): Promise<void> {
  const day = Math.floor(nowS / DAY_S);
  await Promise.all(
    segments.map(({ id, last_id, n, from_time, to_time, bytes, groups, filter, numbers, texts }) =>
      sql.run(INSERT, id, last_id, n, from_time, to_time, day, 0, bytes, groups, filter, numbers, texts, size),
    ),
  );
}
