// The occurrences of one group, read from their chunks.
import type { ErrlogOccurrence, Page, Slice } from '@quarterdeck/core';
import { type Sql, statement } from '@quarterdeck/core/db';
import { unpackOccurrences } from '../tables/occurrence-chunk.ts';
import { allFields } from '../tables/occurrence-fields.ts';

/** Chunks whose sizes one statement reads. */
const SIZES_AT_ONCE = 1_000;

const COUNT = statement('SELECT CAST(coalesce(sum(n), 0) AS bigint) AS n FROM errlog_chunk WHERE errlog_id = ?');
const SIZES = statement('SELECT id, n FROM errlog_chunk WHERE errlog_id = ? AND id < ? ORDER BY id DESC LIMIT ?');
// Matches the group again: retention may have removed the chunk, and SQLite may have given its id to another one.
const CHUNK = statement('SELECT from_time, data FROM errlog_chunk WHERE id = ? AND errlog_id = ?');

/** Returns a page of occurrences, the last to arrive first. */
export async function listOccurrences(
  sql: Sql,
  group: { readonly id: number; readonly appId: number },
  { offset, limit }: Slice,
): Promise<Page<ErrlogOccurrence>> {
  const count = (await sql.get<{ n: number }>(COUNT, group.id))?.n ?? 0;
  const data: ErrlogOccurrence[] = [];
  let skip = offset;
  for await (const { id, n } of chunks(sql, group.id)) {
    if (data.length >= limit) break;
    if (n <= skip) {
      skip -= n;
      continue;
    }
    const chunk = await sql.get<{ from_time: number; data: string }>(CHUNK, id, group.id);
    if (chunk === undefined) continue;
    const found = unpackOccurrences(chunk.data, chunk.from_time).reverse();
    for (const { time, count: times, reqId, log, fields } of found.slice(skip, skip + limit - data.length)) {
      data.push({ time, count: times, req_id: reqId, app_id: group.appId, log, fields: allFields(fields, log) });
    }
    skip = 0;
  }
  return { data, meta: { count } };
}

async function* chunks(sql: Sql, group: number): AsyncGenerator<{ id: number; n: number }> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const sizes = await sql.all<{ id: number; n: number }>(SIZES, group, before, SIZES_AT_ONCE);
    yield* sizes;
    const last = sizes.at(-1);
    if (last === undefined || sizes.length < SIZES_AT_ONCE) return;
    before = last.id;
  }
}
