// Error logs as an array: what the server has to show for any list, filter and order over some months of errors.
import { compileFilter, type ErrlogEntry, LEVELS, type LineTest, parseFilter } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';

export const DAY_S = 86_400;
export const FIRST = 1_750_000_000;
export const LAST = FIRST + 120 * DAY_S;
export const APPS = [0, 7, 8, 9];
/** Programs that write the lines; absent is none. */
export const SERVICES = [undefined, 'nginx', 'cron', 'backup'];
export const NODES = [1, 2, 3];
export const REQ_IDS = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb', '777', 'x y&z=%'];

/** Fields that only some answers have. */
type Added = 'proof' | 'sources' | 'count_in_range' | 'log_time_in_range' | 'log_in_range';

/** A line of a group. */
export interface Happened {
  readonly time: number;
  readonly count: number;
  readonly log: string;
  readonly reqId: string;
}

/** A group as `detail=1` shows it, and its lines in the order of arrival. */
export type Row = { [Field in Exclude<keyof ErrlogEntry, Added>]-?: Exclude<ErrlogEntry[Field], undefined> } & {
  readonly lines: Happened[];
};
/** An entry as the server shows it. */
export const entryOf = ({ lines: _, ...entry }: Row): ErrlogEntry => entry;

export type Query = NonNullable<NonNullable<Parameters<Client['errlog']['list']>[0]>['query']>;

/** Tells whether the list shows a group with these filters. */
export function matches(row: Row, query: Query): boolean {
  const is = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  return (
    is(query.level, row.level) &&
    row.level <= (query.level_max ?? 8) &&
    is(query.node_type, row.node_type) &&
    is(query.node_id, row.node_id) &&
    is(query.app_id, row.app_id) &&
    is(query.src, row.src) &&
    is(query.service, row.service) &&
    is(query.fingerprint, row.fingerprint) &&
    (query.state === undefined || query.state.split(',').includes(row.state)) &&
    linesInSpan(row, query).some((line) => isFound(row, line, query))
  );
}

/** The span of a query; undefined without one. */
function spanOf({ start_time, end_time, filter = '' }: Query): { start: number; end: number } | undefined {
  const asked = FILTERS.get(filter);
  if ([start_time, end_time, asked?.start, asked?.end].every((time) => time === undefined)) return undefined;
  return {
    start: Math.max(start_time ?? 0, asked?.start ?? 0),
    end: Math.min(end_time ?? Number.MAX_SAFE_INTEGER, asked?.end ?? Number.MAX_SAFE_INTEGER),
  };
}

/** The lines of a group in the span of a query. */
function linesInSpan({ lines }: Row, query: Query): Happened[] {
  const { start, end } = spanOf(query) ?? { start: 0, end: Number.MAX_SAFE_INTEGER };
  return lines.filter(({ time }) => time >= start && time <= end);
}

/** Time of the last line of a group in the span of a query. */
const lastInSpan = (row: Row, query: Query) => Math.max(...linesInSpan(row, query).map(({ time }) => time));

/** Tells whether a query finds a line by its text, its request id and the filter language. */
function isFound(row: Row, { time, log, reqId }: Happened, { q = '', req_id, filter = '' }: Query): boolean {
  const line = { ...row, group: row.id, time, log, req_id: reqId, fields: () => ({}) };
  return (
    log.toUpperCase().includes(q.toUpperCase()) &&
    (req_id === undefined || reqId === String(req_id)) &&
    testOf(filter)(line)
  );
}

const tests = new Map<string, LineTest>();
function testOf(filter: string): LineTest {
  const test = tests.get(filter) ?? compileFilter(parseFilter(filter), 0);
  tests.set(filter, test);
  return test;
}

/** `meta` of a list: a search, and a list of a span, tell whether they are complete. */
export const metaOf = (count: number, query: Query) =>
  isSearch(query) || hasSpan(query) ? { count, complete: true } : { count };

/** Tells whether a query is about a span of time. */
export const hasSpan = (query: Query) => spanOf(query) !== undefined;

/** Tells whether lines decide on a query. */
export const isSearch = ({ q, req_id, filter = '' }: Query) =>
  q !== undefined || req_id !== undefined || FILTERS.get(filter)?.lines === true;

/** Conditions of a filter of the language beside those on groups: on lines, or a span. */
interface Asked {
  readonly lines?: true;
  readonly start?: number;
  readonly end?: number;
}

const FILTERS: ReadonlyMap<string, Asked> = new Map<string, Asked>([
  ['level:error,crit', {}],
  ['level:>=warn', {}],
  ['-level:>=warn', {}],
  ['service:NGINX', {}],
  ['-service:* OR service:c*', {}],
  ['(service:cron OR state:muted,resolved) -app:>7', {}],
  ['host:host-* level:<=notice', {}],
  ['source:admin OR src:<3', {}],
  ['-host:/^host/', {}],
  ['state:* app:*', {}],
  ['failed -"after 1"', { lines: true }],
  ['/after [1-3]\\d* ms$/', { lines: true }],
  ['"after 5" service:nginx', { lines: true }],
  ['"after 9" OR state:muted', { lines: true }],
  ['req:777 OR level:alert', { lines: true }],
  ['-req:* "after 4"', { lines: true }],
  [`until:${FIRST + DAY_S} since:${FIRST}`, { start: FIRST, end: FIRST + DAY_S }],
  [`since:${FIRST + DAY_S} level:>=error`, { start: FIRST + DAY_S }],
  [`(until:${FIRST + DAY_S} "after 2") OR app:9`, { lines: true }],
  ['nobody-has-this', { lines: true }],
]);
export const FILTER_TEXTS = [...FILTERS.keys()];

/** Rows in the order of a query. */
export function inOrder(rows: readonly Row[], { sort = '-log_time', ...query }: Query): Row[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  if (/(level|source)$/.test(sort)) {
    const byTime = inOrder(rows, query);
    const sources = [...new Map(rows.map(({ src, source }) => [src, source]))].sort(([a], [b]) => a - b);
    const names = sources.map(([, name]) => name).sort();
    const placeOf = ({ src, source }: Row): number =>
      names.indexOf(source) + sources.findIndex(([id]) => id === src) / 1e6;
    const compare = sort.endsWith('level')
      ? (a: Row, b: Row) => a.level - b.level
      : (a: Row, b: Row) => placeOf(a) - placeOf(b);
    return byTime.toSorted((a, b) => sign * compare(a, b));
  }
  const key = sort.replace('-', '') as 'log_time' | 'first_seen' | 'count';
  const keyOf = (row: Row) => (key === 'log_time' ? lastInSpan(row, query) : row[key]);
  const keys = new Map(rows.map((row) => [row.id, keyOf(row)]));
  return rows.toSorted((a, b) => sign * ((keys.get(a.id) ?? 0) - (keys.get(b.id) ?? 0) || a.id - b.id));
}

/** The part of a list that a query shows. */
export function pageOf<T>(list: readonly T[], { page = 1, page_size = 20, start, end }: Query): readonly T[] {
  if (start === undefined && end === undefined) return list.slice((page - 1) * page_size, page * page_size);
  const from = start ?? 0;
  return list.slice(from, Math.max(from, end ?? from + page_size));
}

/** Entries with the fields of the specification, or with all. */
const shownAs = (rows: readonly Row[], detail = 0): ErrlogEntry[] =>
  rows.map(entryOf).map((entry) => {
    const { id, level, count, src, log_time, log } = entry;
    return detail === 1 ? entry : { id, level, count, src, log_time, log };
  });

/** Entries of a list, with what happened in the span of its query. */
export const shownBy = (rows: readonly Row[], query: Query): ErrlogEntry[] => {
  const shown = shownAs(rows, query.detail);
  if (spanOf(query) === undefined || query.detail !== 1) return shown;
  return rows.map((row, i) => {
    const lines = linesInSpan(row, query);
    const last = lastInSpan(row, query);
    return {
      ...(shown[i] as ErrlogEntry),
      count_in_range: lines.reduce((sum, { count }) => sum + count, 0),
      log_time_in_range: last,
      log_in_range: lines.findLast(({ time }) => time === last)?.log,
    } as ErrlogEntry;
  });
};

const kindOf = ({ level, app_id, fingerprint }: Row) => `${level},${app_id},${fingerprint}`;

/** The matching errors, each as its newest group, with what all groups of the error add up to. */
export function rolledUp(rows: readonly Row[], query: Query): (Row & { readonly sources: number })[] {
  const all = Map.groupBy(rows, kindOf);
  const newest = new Map<string, Row>();
  const matching = rows.filter((row) => matches(row, query));
  for (const row of inOrder(matching, { ...query, sort: '-log_time' })) {
    if (!newest.has(kindOf(row))) newest.set(kindOf(row), row);
  }
  return [...newest].map(([kind, row]) => {
    const members = all.get(kind) ?? [];
    const count = members.reduce((sum, member) => sum + member.count, 0);
    return { ...row, count, first_seen: Math.min(...members.map((m) => m.first_seen)), sources: members.length };
  });
}

/** Errors of a roll-up, with what all groups of each happened in the span of its query. */
export const shownRolledUp = (errors: readonly Row[], rows: readonly Row[], query: Query): ErrlogEntry[] => {
  const shown = shownAs(errors, query.detail);
  if (spanOf(query) === undefined || query.detail !== 1) return shown;
  return errors.map((error, i) => {
    const lines = rows.filter((row) => kindOf(row) === kindOf(error)).flatMap((row) => linesInSpan(row, query));
    return { ...(shown[i] as ErrlogEntry), count_in_range: lines.reduce((sum, { count }) => sum + count, 0) };
  });
};

/** Returns the facets of rows. */
export function facetsOf(rows: readonly Row[], top: number) {
  const by = <Key extends string | number>(key: (row: Row) => Key) =>
    [...Map.groupBy(rows, key)]
      .map(([value, { length: count }]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const sources = by(({ src }) => src).map(({ value: src, count }) => {
    const { source: name, node_type, node_id } = rows.find((row) => row.src === src) as Row;
    return { src, name, node_type, node_id, count };
  });
  return {
    levels: by(({ level }) => level)
      .map(({ value: level, count }) => ({ level, count }))
      .sort((a, b) => a.level - b.level),
    states: by(({ state }) => state).map(({ value: state, count }) => ({ state, count })),
    sources: sources.slice(0, top),
    apps: by(({ app_id }) => app_id)
      .map(({ value: app_id, count }) => ({ app_id, count }))
      .slice(0, top),
    services: by(({ service }) => service)
      .filter(({ value }) => value !== '')
      .map(({ value: service, count }) => ({ service, count }))
      .slice(0, top),
  };
}

/** The buckets of a histogram over rows: its ends and step, and the counted part of it, in Unix seconds. */
export function bucketsOf(
  rows: readonly Row[],
  { start, end, step, from, to }: { start: number; end: number; step: number; from: number; to: number },
) {
  const buckets = Array.from({ length: Math.ceil((end - start) / step) }, (_, i) => ({
    time: start + i * step,
    count: 0,
    levels: LEVELS.map(() => 0),
  }));
  for (const { level, lines } of rows) {
    for (const { time, count } of lines) {
      const isCounted = time >= from && time < to;
      const bucket = isCounted ? buckets[Math.floor((Math.floor(time / 60) * 60 - start) / step)] : undefined;
      if (bucket === undefined) continue;
      bucket.count += count;
      bucket.levels[level] = (bucket.levels[level] ?? 0) + count;
    }
  }
  return buckets;
}
