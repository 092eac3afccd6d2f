// Reads of lines on a thread: one function for each method of the interface.

import type { ErrlogOccurrence, Page, Slice } from '@quarterdeck/core';
import type { Sql } from '@quarterdeck/core/db';
import { hasExpression, loadExpressions } from '@quarterdeck/core/filter';
import { AppError } from '@quarterdeck/core/plain';
import { lastLineId } from '../tables/segment-rows.ts';
import type { Limit } from './budget.ts';
import { countByGroup, countByTime, findGroupIds } from './count-lines.ts';
import { countValues } from './field-values.ts';
import { firstLines } from './first-lines.ts';
import { readPage } from './line-page.ts';
import { planQuery } from './line-plan.ts';
import type { ArrivedLines, ContextScope, HistogramSpan, Line, LineQuery, LineSlice } from './line-reads.ts';
import { newestOf } from './newest-of.ts';
import type { LineOrder } from './order.ts';
import { type ScanOptions, SegmentScan } from './segment-scan.ts';

/** A read as it is sent to a thread. */
export type LineRead =
  | { readonly kind: 'page'; readonly query: LineQuery; readonly slice: LineSlice }
  | { readonly kind: 'line'; readonly id: string }
  | { readonly kind: 'context'; readonly id: string; readonly around: Surroundings }
  | { readonly kind: 'values'; readonly query: LineQuery; readonly field: string; readonly top: number }
  | { readonly kind: 'histogram'; readonly query: LineQuery; readonly span: HistogramSpan }
  | { readonly kind: 'groups'; readonly query: LineQuery; readonly max: number }
  | { readonly kind: 'groupIds'; readonly query: LineQuery; readonly max: number }
  | { readonly kind: 'newestOf'; readonly query: LineQuery; readonly groups: readonly number[] }
  | { readonly kind: 'occurrences'; readonly group: number; readonly slice: Slice }
  | { readonly kind: 'newerThan'; readonly id: string; readonly limit: number; readonly query: LineQuery };

/** Numbers of lines around a line. */
export interface Surroundings {
  readonly before: number;
  readonly after: number;
  readonly same?: ContextScope | undefined;
}

const ID = /^\d{1,15}$/;

/** A snapshot of the database, and the time of the read. */
export interface ReadContext {
  readonly sql: Sql;
  readonly budget: Limit;
  /** Unix seconds. */
  readonly nowS: number;
}

/** Answers a read. */
export async function readLines(context: ReadContext, read: LineRead): Promise<unknown> {
  const filter = 'query' in read ? read.query.filter : undefined;
  if (filter !== undefined && hasExpression(filter)) await loadExpressions();
  const scan = (query: LineQuery, order: LineOrder = 'newest'): ScanOptions => ({
    sql: context.sql,
    budget: context.budget,
    plan: planQuery(query, context.nowS),
    order,
  });
  switch (read.kind) {
    case 'page':
      return readPage(scan(read.query), read.slice);
    case 'line':
      return readLine(scan, read.id);
    case 'context':
      return readContext(scan, read.id, read.around);
    case 'values':
      return countValues(scan(read.query), read.field, read.top);
    case 'histogram':
      return countByTime(scan(within(read.query, read.span)), read.span);
    case 'groups':
      return countByGroup(scan(read.query), read.max);
    case 'groupIds':
      return findGroupIds(scan(read.query), read.max);
    case 'newestOf':
      return newestOf(scan({ ...read.query, groups: read.groups }), read.groups);
    case 'occurrences':
      return readOccurrences(scan({ groups: [read.group] }, 'last arrived'), read.slice);
    default:
      return readNewer(scan(read.query, 'first arrived'), read.id, read.limit);
  }
}

type Scan = (query: LineQuery, order?: LineOrder) => ScanOptions;

/** A query that is narrowed to the span of a histogram. */
function within(query: LineQuery, { start, end }: HistogramSpan): LineQuery {
  const { startTime = start, endTime = end - 1 } = query;
  return { ...query, startTime: Math.max(start, startTime), endTime: Math.min(end - 1, endTime) };
}

async function readLine(scan: Scan, id: string): Promise<Line | undefined> {
  if (!ID.test(id)) return undefined;
  const { lines } = await firstLines({ ...scan({}, 'first arrived'), arrived: Number(id) - 1 }, 1);
  // An id that was removed is a gap: the line is the next one.
  return lines.find((line) => line.id === String(Number(id)));
}

async function readContext(scan: Scan, id: string, { before, after, same }: Surroundings): Promise<Line[] | undefined> {
  const line = await readLine(scan, id);
  if (line === undefined) return undefined;
  const query = aroundQuery(line, same);
  if (query === undefined) return [line];
  const bound = { time: line.time, id: Number(line.id) };
  const older = await firstLines({ ...scan(query), bound }, before);
  const newer = await firstLines({ ...scan(query, 'oldest'), bound }, after);
  return [...older.lines.reverse(), line, ...newer.lines];
}

/** Query of the lines around a line; undefined where it can only be the line itself. */
function aroundQuery(
  { host, service, src, req_id: reqId }: Line,
  same: ContextScope | undefined,
): LineQuery | undefined {
  switch (same) {
    case 'source':
      return { src };
    case 'service':
      return { service };
    case 'request':
      return reqId === '' ? undefined : { reqId };
    default:
      return { host, service };
  }
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
      const { time, count: times, req_id, app_id, log, fields } = open.line(place);
      data.push({ time, count: times, req_id, app_id, log, fields });
    }
  }
  return { data, meta: { count } };
}

async function readNewer(options: ScanOptions, id: string, limit: number): Promise<ArrivedLines> {
  if (!ID.test(id)) throw new AppError('bad_request', { message: 'This is no id of a line.' });
  const last = await lastLineId(options.sql);
  const { lines, hasMore, stoppedAt } = await firstLines({ ...options, arrived: Number(id) }, limit);
  const reached = stoppedAt === undefined ? Math.max(last, Number(id)) : stoppedAt.major - 1;
  const lastLine = lines.at(-1);
  return {
    data: lines,
    last: hasMore && lastLine !== undefined ? lastLine.id : String(reached),
    complete: !hasMore && stoppedAt === undefined,
  };
}
