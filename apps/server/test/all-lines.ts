// All lines of a database, read segment by segment, for tests.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import type { SegmentGroup, SegmentLine, SegmentRow } from '../../../packages/store/src/segments/segment.ts';
import { SegmentReader } from '../../../packages/store/src/segments/segment-reader.ts';
import { encodeLines, insertLines, takeLineIds } from '../../../packages/store/src/write/append-lines.ts';
import { groupedLines } from './grouped-lines.ts';

const ALL = statement(
  `SELECT id, last_id, n, from_time, to_time, day, packed, bytes, "groups", filter, numbers, texts
   FROM errlog_segment ORDER BY id`,
);

/** A stored line with its group. */
export type StoredLine = SegmentLine & { readonly group: number; readonly service: string };

/** A segment, and its lines in the order of arrival. */
export interface ReadSegment extends SegmentRow {
  readonly day: number;
  readonly packed: number;
  readonly lines: readonly StoredLine[];
}

export async function readAllSegments(db: Database): Promise<ReadSegment[]> {
  const rows = await db.read.sql.all<Omit<ReadSegment, 'lines'>>(ALL);
  return rows.map((row) => {
    const lines = new SegmentReader(row)
      .content()
      .flatMap(({ group, lines: own }) => own.map((line) => ({ ...line, group: group.id, service: group.service })));
    return { ...row, lines: lines.sort((a, b) => a.id - b.id) };
  });
}

/** Reads all lines in the order of their ids. */
export const readAllLines = async (db: Database): Promise<StoredLine[]> =>
  (await readAllSegments(db)).flatMap(({ lines }) => lines);

/** A group of lines for tests. */
export const testGroup = (id: number): SegmentGroup => ({ id, level: 4, src: 0, appId: id % 3, service: `s${id % 2}` });

/** Appends a batch of one line for each text, in groups by turns. */
export const appendTexts = (db: Database, texts: readonly string[], nowS: number, groups = 3): Promise<void> =>
  db.write(async (tx: Tx) => {
    const { lines } = groupedLines(
      texts.map((log, i) => ({ src: 0, level: 4, time: nowS, reqId: i % 5 === 0 ? `r${i}` : '', log })),
    );
    const content = Array.from({ length: Math.min(groups, texts.length) }, (_, group) => ({
      group: testGroup(1 + group),
      lines: [...texts.keys()].filter((i) => i % groups === group),
    }));
    const encoded = encodeLines(lines, content);
    await takeLineIds(tx, encoded.size);
    await insertLines(tx, encoded, nowS);
  });
