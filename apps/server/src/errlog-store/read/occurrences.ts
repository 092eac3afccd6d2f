// The occurrences of one group, read from the segments.
import type { ErrlogOccurrence, Page, Slice } from '@quarterdeck/core';
import { type Sql, statement } from '@quarterdeck/core/db';
import type { SegmentRow } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { allFields } from '../tables/occurrence-fields.ts';

/** Segments whose groups one statement reads. */
const HEADS_AT_ONCE = 100;
const HEADS = statement(
  `SELECT id, from_time, "groups" FROM errlog_segment WHERE id < ? AND to_time >= ? ORDER BY id DESC LIMIT ${HEADS_AT_ONCE}`,
);
const SEGMENT = statement('SELECT id, n, from_time, "groups", numbers, texts FROM errlog_segment WHERE id = ?');
const FIRST_SEEN = statement('SELECT first_seen FROM errlog WHERE id = ?');

/** Returns a page of occurrences, the last to arrive first. */
export async function listOccurrences(
  sql: Sql,
  group: { readonly id: number; readonly appId: number },
  { offset, limit }: Slice,
): Promise<Page<ErrlogOccurrence>> {
  const data: ErrlogOccurrence[] = [];
  const since = (await sql.get<{ first_seen: number }>(FIRST_SEEN, group.id))?.first_seen ?? 0;
  let count = 0;
  for await (const { id, n } of segmentsOf(sql, group.id, since)) {
    const skip = Math.max(0, offset - count);
    count += n;
    if (skip >= n || data.length >= limit) continue;
    const row = await sql.get<SegmentRow>(SEGMENT, id);
    if (row === undefined) continue;
    const reader = new SegmentReader(row);
    for (const place of placesOf(reader, group.id)
      .reverse()
      .slice(skip, skip + limit - data.length)) {
      const { time, count: times, reqId, log, fields } = reader.line(place);
      data.push({ time, count: times, req_id: reqId, app_id: group.appId, log, fields: allFields(fields, log) });
    }
  }
  return { data, meta: { count } };
}

function placesOf({ groups }: SegmentReader, id: number): number[] {
  let from = 0;
  for (const group of groups) {
    if (group.id === id) return Array.from({ length: group.n }, (_, i) => from + i);
    from += group.n;
  }
  return [];
}

/** Yields the segments that hold lines of a group, newest first, with the number of those lines. */
async function* segmentsOf(sql: Sql, group: number, since: number): AsyncGenerator<{ id: number; n: number }> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = await sql.all<SegmentRow>(HEADS, before, since);
    for (const row of rows) {
      const found = new SegmentReader(row).groups.find(({ id }) => id === group);
      if (found !== undefined) yield { id: row.id, n: found.n };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < HEADS_AT_ONCE) return;
    before = last.id;
  }
}
