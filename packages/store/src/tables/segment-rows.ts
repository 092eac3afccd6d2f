// Rows of segments, fresh and packed.
import { type Dialect, type Sql, type SqlTx, type Statement, statement } from '@quarterdeck/core/db';
import type { SegmentRow } from '../segments/segment.ts';
import { storeFilter, wholeFilter } from './segment-filters.ts';

/** All columns of a segment. */
export const SEGMENT_COLUMNS =
  'id, last_id, n, from_time, to_time, day, packed, bytes, "groups", filter, numbers, texts';
const INSERT = statement(`INSERT INTO errlog_segment (${SEGMENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
/** Name of the setting with the id of the next line. */
export const NEXT_LINE = 'errlog_next_line';
const NEXT = statement(`SELECT CAST(value AS int8) AS id FROM setting WHERE name = '${NEXT_LINE}'`);
const LAST_LINE = statement('SELECT last_id FROM errlog_segment ORDER BY id DESC LIMIT 1');

const DAY_S = 86_400;
/** SQL of the last time that a segment has lines of, Unix seconds, but for lines from after their arrival. */
export const LAST_ARRIVED = `CASE WHEN to_time / ${DAY_S} > day THEN (day + 1) * CAST(${DAY_S} AS bigint) ELSE to_time END`;
/** SQL on PostgreSQL of the bytes of a segment. Large values take a twentieth more in their own table. */
export const LINE_BYTES = `150 + 1.05 * (pg_column_size("groups") + pg_column_size(filter) + pg_column_size(numbers)
  + pg_column_size(texts))`;

/** A segment as it is stored. */
export interface StoredSegment extends SegmentRow {
  readonly day: number;
  /** 0 or 1. */
  readonly packed: number;
}

/** Reads whole segments with a statement that asks for {@link SEGMENT_COLUMNS}. */
export async function readSegmentRows(sql: Sql, rows: Statement, ...params: number[]): Promise<StoredSegment[]> {
  const segments = await sql.all<StoredSegment>(rows, ...params);
  return Promise.all(
    segments.map(async (segment) => ({ ...segment, filter: await wholeFilter(sql, segment.id, segment.filter) })),
  );
}

/** The same of the first segment that a statement finds. */
export const readSegmentRow = async (
  sql: Sql,
  rows: Statement,
  ...params: number[]
): Promise<StoredSegment | undefined> => (await readSegmentRows(sql, rows, ...params))[0];

export async function insertSegment(tx: SqlTx, dialect: Dialect, segment: StoredSegment): Promise<void> {
  const { id, last_id, n, from_time, to_time, day, packed, bytes, groups, numbers, texts } = segment;
  const filter = await storeFilter(tx, dialect, id, segment.filter);
  await tx.sql.run(INSERT, id, last_id, n, from_time, to_time, day, packed, bytes, groups, filter, numbers, texts);
}

/** Id of the line that arrived last; 0 before any. */
export const lastLineId = async (sql: Sql): Promise<number> =>
  (await sql.get<{ last_id: number }>(LAST_LINE))?.last_id ?? 0;

/** Id of the next line that arrives. */
export const nextLineId = async (sql: Sql): Promise<number> => (await sql.get<{ id: number }>(NEXT))?.id ?? 0;
