// Answers to reads of lines, made of a few searches.
import type { ErrlogOccurrence, Filter, Page, Slice } from '@quarterdeck/core';
import { compileFilter, hasExpression, loadExpressions } from '@quarterdeck/core/filter';
import { AppError } from '@quarterdeck/core/plain';
import type { FirstLines } from './first-lines.ts';
import { readPage } from './line-page.ts';
import type {
  ArrivedLines,
  ContextLines,
  ContextScope,
  HistogramSpan,
  Line,
  LineHistogram,
  LineQuery,
  LineSlice,
  LineValues,
  MatchedGroup,
} from './line-reads.ts';
import type { LinePlace } from './order.ts';

/** A read of lines, as it is sent to a reader. */
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

/**
 * Searches of stored lines. All reads are made of them, so another place for lines implements nothing else
 * (decision 110). Groups are named by the ids that they have now.
 */
export interface LineSearches {
  /** The first `limit` matching lines behind a place. */
  first(query: LineQuery, place: LinePlace, limit: number): Promise<FirstLines>;
  values(query: LineQuery, field: string, top: number): Promise<LineValues>;
  /** The query has the times of the span. */
  histogram(query: LineQuery, span: HistogramSpan): Promise<LineHistogram>;
  groups(query: LineQuery, max: number): Promise<{ readonly groups: MatchedGroup[]; readonly complete: boolean }>;
  groupIds(query: LineQuery, max: number): Promise<{ readonly ids: number[]; readonly complete: boolean }>;
  newestOf(query: LineQuery, groups: readonly number[]): Promise<Map<number, Line>>;
  occurrences(group: number, slice: Slice): Promise<Page<ErrlogOccurrence>>;
  /** Id of the line that arrived last; 0 before any. */
  lastId(): Promise<number>;
}

const ID = /^\d{1,15}$/;

/** Returns what the method of `LineReads` with the name of the read returns. */
export async function answerRead(searches: LineSearches, read: LineRead): Promise<unknown> {
  const filters = ['query' in read && read.query.filter, read.kind === 'context' && read.around.within];
  if (filters.some((filter) => filter && hasExpression(filter))) await loadExpressions();
  switch (read.kind) {
    case 'page':
      return readPage((place, limit) => searches.first(read.query, place, limit), read.slice);
    case 'line':
      return readLine(searches, read.id);
    case 'context':
      return readContext(searches, read.id, read.around);
    case 'values':
      return searches.values(read.query, read.field, read.top);
    case 'histogram':
      return searches.histogram(within(read.query, read.span), read.span);
    case 'groups':
      return searches.groups(read.query, read.max);
    case 'groupIds':
      return searches.groupIds(read.query, read.max);
    case 'newestOf':
      return searches.newestOf({ ...read.query, groups: read.groups }, read.groups);
    case 'occurrences':
      return searches.occurrences(read.group, read.slice);
    default:
      return readNewer(searches, read);
  }
}

/** A query that is narrowed to the span of a histogram. */
function within(query: LineQuery, { start, end }: HistogramSpan): LineQuery {
  const { startTime = start, endTime = end - 1 } = query;
  return { ...query, startTime: Math.max(start, startTime), endTime: Math.min(end - 1, endTime) };
}

const isWithin = (line: Line, filter: Filter | undefined) =>
  filter === undefined || compileFilter(filter, 0)({ ...line, fields: () => line.fields });

async function readLine(searches: LineSearches, id: string): Promise<Line | undefined> {
  if (!ID.test(id)) return undefined;
  const { lines } = await searches.first({}, { order: 'first arrived', arrived: Number(id) - 1 }, 1);
  // An id that was removed is a gap: the line is the next one.
  return lines.find((line) => line.id === String(Number(id)));
}

async function readContext(
  searches: LineSearches,
  id: string,
  { before, after, same, within }: Surroundings,
): Promise<ContextLines | undefined> {
  const line = await readLine(searches, id);
  if (line === undefined || !isWithin(line, within)) return undefined;
  const around = aroundQuery(line, same);
  const query = around && { ...around, filter: within };
  if (query === undefined) return { data: [line], complete: true };
  const bound = { time: line.time, id: Number(line.id) };
  const older = await searches.first(query, { order: 'newest', bound }, before);
  const newer = await searches.first(query, { order: 'oldest', bound }, after);
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
  searches: LineSearches,
  { id, limit, query, textMax }: Extract<LineRead, { kind: 'newerThan' }>,
): Promise<ArrivedLines> {
  if (!ID.test(id)) throw new AppError('bad_request', { message: 'This is no id of a line.' });
  const last = await searches.lastId();
  const found = await searches.first(query, { order: 'first arrived', arrived: Number(id) }, limit);
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
