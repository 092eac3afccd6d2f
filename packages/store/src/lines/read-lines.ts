// Reads of lines in segments, on a thread.

import type { ErrlogOccurrence, Page, Slice } from '@quarterdeck/core';
import type { Dialect, Sql } from '@quarterdeck/core/db';
import { AppError } from '@quarterdeck/core/plain';
import { type DamagedSegment, type DamagedSpan, DamageLog } from '../segments/damage-log.ts';
import { checkNext, checkPages } from '../tables/check-stored.ts';
import { readMoved } from '../tables/moved-groups.ts';
import { lastLineId } from '../tables/segment-rows.ts';
import { answerRead, type LineRead, type LineSearches } from './answer-read.ts';
import type { Limit } from './budget.ts';
import { countByGroup, countByTime, findGroupIds } from './count-lines.ts';
import { countValues } from './field-values.ts';
import { firstLines } from './first-lines.ts';
import { planQuery } from './line-plan.ts';
import type { LineQuery } from './line-reads.ts';
import { newestOf } from './newest-of.ts';
import type { LineOrder } from './order.ts';
import { type ScanOptions, SegmentScan } from './segment-scan.ts';

/** Work of a thread: a read, or a check of what is stored. */
export type ThreadRead = LineRead | { readonly kind: 'check'; readonly after: number } | { readonly kind: 'pages' };

const DAMAGED_LINE = 'There is no such line, or it is in a damaged part of the store: see quarterdeckd repair.';

/** A snapshot of the database, and the time of the read. */
export interface ReadContext {
  readonly sql: Sql;
  readonly dialect: Dialect;
  readonly budget: Limit;
  /** Unix seconds. */
  readonly nowS: number;
}

/** Answer to a read, and the damaged parts that it lacks. */
export interface LineAnswer {
  readonly value: unknown;
  readonly damaged: readonly DamagedSegment[];
}

export async function readLines(context: ReadContext, read: ThreadRead): Promise<LineAnswer> {
  const damage = new DamageLog();
  const value = await answer({ ...context, damage }, read);
  return { value: withDamage(value, damage.spans), damaged: damage.segments };
}

/** The answer with the spans that it lacks, where it says whether it is complete. */
function withDamage(value: unknown, damaged: readonly DamagedSpan[]): unknown {
  if (damaged.length === 0) return value;
  if (value === undefined) throw new AppError('not_found', { message: DAMAGED_LINE });
  if (typeof value !== 'object' || value === null) return value;
  const lacks = { complete: false, damaged };
  if ('meta' in value) return { ...value, meta: { ...(value.meta as object), ...lacks } };
  if ('complete' in value) return { ...value, ...lacks };
  return 'atEnd' in value ? { ...value, damaged } : value;
}

async function answer(context: ReadContext & { readonly damage: DamageLog }, read: ThreadRead): Promise<unknown> {
  if (read.kind === 'check') return checkNext(context, read.after);
  if (read.kind === 'pages') return checkPages(context.sql);
  return answerRead(await searchesOf(context), read);
}

async function searchesOf({ sql, dialect, budget, nowS, damage }: ReadContext & { readonly damage: DamageLog }) {
  const moved = await readMoved(sql);
  const scan = (query: LineQuery, order: LineOrder = 'newest'): ScanOptions => ({
    sql,
    dialect,
    budget,
    damage,
    plan: planQuery(query, nowS, moved),
    order,
  });
  return {
    first: (query, place, limit) => firstLines({ ...scan(query), ...place }, limit),
    values: (query, field, top) => countValues(scan(query), field, top),
    histogram: (query, span) => countByTime(scan(query), span),
    groups: (query, max) => countByGroup(scan(query), max),
    groupIds: (query, max) => findGroupIds(scan(query), max),
    newestOf: (query, groups) => newestOf(scan(query), groups),
    occurrences: (group, slice) => readOccurrences(scan({ groups: [group] }, 'last arrived'), slice),
    lastId: () => lastLineId(sql),
  } satisfies LineSearches;
}

async function readOccurrences(options: ScanOptions, { offset, limit }: Slice): Promise<Page<ErrlogOccurrence>> {
  const scan = await SegmentScan.start(options);
  const data: ErrlogOccurrence[] = [];
  let count = 0;
  for (let open = await scan.next(); open !== undefined; open = await scan.next()) {
    const skipped = Math.max(0, offset - count);
    const n = [...open.matchedGroups()].reduce((sum, group) => sum + group.n, 0);
    count += n;
    if (skipped >= n || data.length >= limit) continue;
    const places = await open.candidates();
    await open.loadTexts();
    for (const place of places.subarray(skipped, skipped + limit - data.length)) {
      const line = open.line(place);
      if (line === undefined) continue;
      const { time, count: times, req_id, app_id, log, fields } = line;
      data.push({ time, count: times, req_id, app_id, log, fields });
    }
  }
  return { data, meta: { count } };
}
