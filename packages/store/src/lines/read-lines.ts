// Reads of lines on a thread: one function for each method of the interface.

import type { ErrlogOccurrence, Filter, Page, Slice } from '@quarterdeck/core';
import type { Sql } from '@quarterdeck/core/db';
import { compileFilter, hasExpression, loadExpressions } from '@quarterdeck/core/filter';
import { AppError } from '@quarterdeck/core/plain';
import { type DamagedSegment, type DamagedSpan, DamageLog } from '../segments/damage-log.ts';
import { checkNext, checkPages } from '../tables/check-stored.ts';
import { readMoved } from '../tables/moved-groups.ts';
import { lastLineId } from '../tables/segment-rows.ts';
import type { Limit } from './budget.ts';
import { countByGroup, countByTime, findGroupIds } from './count-lines.ts';
import { countValues } from './field-values.ts';
import { firstLines } from './first-lines.ts';
import { readPage } from './line-page.ts';
import { planQuery } from './line-plan.ts';
import type {
  ArrivedLines,
  ContextLines,
  ContextScope,
  HistogramSpan,
  Line,
  LineQuery,
  LineSlice,
} from './line-reads.ts';
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
  | { readonly kind: 'check'; readonly after: number }
  | { readonly kind: 'pages' }
  | {
      readonly kind: 'newerThan';
      readonly id: string;
      readonly limit: number;
      readonly query: LineQuery;
      /** Characters of all lines at most, but for the first one. */
      readonly textMax: number;
    };

/** Numbers of lines around a line. */
export interface Surroundings {
  readonly before: number;
  readonly after: number;
  readonly same?: ContextScope | undefined;
  readonly within?: Filter | undefined;
}

const DAMAGED_LINE = 'There is no such line, or it is in a damaged part of the store: see quarterdeckd repair.';
const ID = /^\d{1,15}$/;

/** A snapshot of the database, and the time of the read. */
export interface ReadContext {
  readonly sql: Sql;
  readonly budget: Limit;
  /** Unix seconds. */
  readonly nowS: number;
}

/** Answer to a read, and the damaged parts that it lacks. */
export interface LineAnswer {
  readonly value: unknown;
  readonly damaged: readonly DamagedSegment[];
}

export async function readLines(context: ReadContext, read: LineRead): Promise<LineAnswer> {
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

async function answer(context: ReadContext & { readonly damage: DamageLog }, read: LineRead): Promise<unknown> {
  const filters = ['query' in read && read.query.filter, read.kind === 'context' && read.around.within];
  if (filters.some((filter) => filter && hasExpression(filter))) await loadExpressions();
  const moved = await readMoved(context.sql);
  const scan = (query: LineQuery, order: LineOrder = 'newest'): ScanOptions => ({
    sql: context.sql,
    budget: context.budget,
    damage: context.damage,
    plan: planQuery(query, context.nowS, moved),
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
    case 'check':
      return checkNext(context, read.after);
    case 'pages':
      return checkPages(context.sql);
    default:
      return readNewer(scan(read.query, 'first arrived'), read);
  }
}

type Scan = (query: LineQuery, order?: LineOrder) => ScanOptions;

/** A query that is narrowed to the span of a histogram. */
function within(query: LineQuery, { start, end }: HistogramSpan): LineQuery {
  const { startTime = start, endTime = end - 1 } = query;
  return { ...query, startTime: Math.max(start, startTime), endTime: Math.min(end - 1, endTime) };
}

const isWithin = (line: Line, filter: Filter | undefined) =>
  filter === undefined || compileFilter(filter, 0)({ ...line, fields: () => line.fields });

async function readLine(scan: Scan, id: string): Promise<Line | undefined> {
  if (!ID.test(id)) return undefined;
  const { lines } = await firstLines({ ...scan({}, 'first arrived'), arrived: Number(id) - 1 }, 1);
  // An id that was removed is a gap: the line is the next one.
  return lines.find((line) => line.id === String(Number(id)));
}

async function readContext(
  scan: Scan,
  id: string,
  { before, after, same, within }: Surroundings,
): Promise<ContextLines | undefined> {
  const line = await readLine(scan, id);
  if (line === undefined || !isWithin(line, within)) return undefined;
  const around = aroundQuery(line, same);
  const query = around && { ...around, filter: within };
  if (query === undefined) return { data: [line], complete: true };
  const bound = { time: line.time, id: Number(line.id) };
  const older = await firstLines({ ...scan(query), bound }, before);
  const newer = await firstLines({ ...scan(query, 'oldest'), bound }, after);
  return { data: [...older.lines.reverse(), line, ...newer.lines], complete: true };
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
      const line = open.line(place);
      if (line === undefined) continue;
      const { time, count: times, req_id, app_id, log, fields } = line;
      data.push({ time, count: times, req_id, app_id, log, fields });
    }
  }
  return { data, meta: { count } };
}

/** Characters of a line beside its text and fields. */
const LINE_REST = 300;

/** Number of lines from the first one on that a read returns. */
function countWithinText(lines: readonly Line[], textMax: number): number {
  let size = 0;
  const over = lines.findIndex(({ log, fields }, at) => {
    size += LINE_REST + log.length;
    for (const [name, value] of Object.entries(fields)) size += name.length + value.length;
    return at > 0 && size > textMax;
  });
  return over < 0 ? lines.length : over;
}

async function readNewer(
  options: ScanOptions,
  { id, limit, textMax }: Extract<LineRead, { kind: 'newerThan' }>,
): Promise<ArrivedLines> {
  if (!ID.test(id)) throw new AppError('bad_request', { message: 'This is no id of a line.' });
  const last = await lastLineId(options.sql);
  const found = await firstLines({ ...options, arrived: Number(id) }, limit);
  const { stoppedAt } = found;
  const lines = found.lines.slice(0, countWithinText(found.lines, textMax));
  const hasMore = found.hasMore || lines.length < found.lines.length;
  const reached = stoppedAt === undefined ? Math.max(last, Number(id)) : stoppedAt.major - 1;
  const lastLine = lines.at(-1);
  return {
    data: lines,
    last: hasMore && lastLine !== undefined ? lastLine.id : String(reached),
    atEnd: !hasMore && stoppedAt === undefined,
  };
}
