// Reads and replaces rows of segments, for the work that rewrites them.
import { type Dialect, type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { removeFilters } from '../tables/segment-filters.ts';
import {
  insertSegment,
  readSegmentRow,
  readSegmentRows,
  SEGMENT_COLUMNS,
  type StoredSegment,
} from '../tables/segment-rows.ts';

/** A segment without its content. */
export interface SegmentHead {
  readonly id: number;
  readonly n: number;
  readonly bytes: number;
  readonly day: number;
  /** 0 or 1. */
  readonly packed: number;
  /** Its partition on PostgreSQL, 0 on SQLite. The lines of a segment are in one. */
  readonly partition: number;
}

const readHead = (condition: string) =>
  statement((dialect) => {
    const partition = dialect === 'sqlite' ? '0' : 'tableoid::int8';
    return `SELECT id, n, bytes, day, packed, ${partition} AS partition FROM errlog_segment
      WHERE ${condition} ORDER BY id LIMIT ?`;
  });
const HEADS = readHead('id >= ?');
const FRESH_HEADS = readHead('NOT packed');
const ROWS = statement(`SELECT ${SEGMENT_COLUMNS} FROM errlog_segment WHERE id >= ? AND id <= ? ORDER BY id`);
const NEXT = statement(
  `SELECT ${SEGMENT_COLUMNS} FROM errlog_segment
   WHERE last_id > ? AND id >= coalesce((SELECT max(id) FROM errlog_segment WHERE id <= ?), 0) ORDER BY id LIMIT 1`,
);
const MEASURE = statement(
  `SELECT count(*) AS segments, CAST(coalesce(sum(n), 0) AS bigint) AS n FROM errlog_segment
   WHERE id >= ? AND id <= ?`,
);
const DELETE = statement('DELETE FROM errlog_segment WHERE id >= ? AND id <= ?');

/** Returns segments from an id on. */
export const readHeads = (sql: Sql, fromId: number, limit: number): Promise<SegmentHead[]> =>
  sql.all<SegmentHead>(HEADS, fromId, limit);

/** Returns the oldest segments that wait to be packed. */
export const readFreshHeads = (sql: Sql, limit: number): Promise<SegmentHead[]> =>
  sql.all<SegmentHead>(FRESH_HEADS, limit);

/** Segments that follow each other. */
export interface Stretch {
  /** Ids of the first and of the last one. */
  readonly from: number;
  readonly to: number;
  /** Number of segments, and of the lines in them. */
  readonly segments: number;
  readonly n: number;
}

/** The stretch of some segments, at least one. */
export const stretchOf = (heads: readonly Pick<SegmentHead, 'id' | 'n'>[]): Stretch => ({
  from: heads[0]?.id ?? 0,
  to: heads.at(-1)?.id ?? 0,
  segments: heads.length,
  n: heads.reduce((sum, { n }) => sum + n, 0),
});

export const readSegments = (sql: Sql, { from, to }: Pick<Stretch, 'from' | 'to'>): Promise<StoredSegment[]> =>
  readSegmentRows(sql, ROWS, from, to);

/**
 * Returns the segment with the first line after one; undefined after the last line. A walk that goes on behind the last
 * line of each segment meets every line once, however segments are merged meanwhile.
 */
export const segmentAfter = (sql: Sql, lineId: number): Promise<StoredSegment | undefined> =>
  readSegmentRow(sql, NEXT, lineId, lineId + 1);

/**
 * Replaces the segments of a stretch, under the lock of the groups. Returns false and changes nothing where they are no
 * longer the same: lines only ever go, so their numbers tell.
 */
export async function replaceSegments(
  tx: Pick<Tx, 'sql'>,
  dialect: Dialect,
  { from, to, segments, n }: Stretch,
  by: readonly StoredSegment[],
): Promise<boolean> {
  const there = await tx.sql.get<{ segments: number; n: number }>(MEASURE, from, to);
  if (there?.segments !== segments || there.n !== n) return false;
  await tx.sql.run(DELETE, from, to);
  await removeFilters(tx, dialect, from, to);
  for (const segment of by) await insertSegment(tx, dialect, segment);
  return true;
}
