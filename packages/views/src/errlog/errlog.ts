// Requests about error logs.
import { matchesErrlog } from '@quarterdeck/core/errlog-match';
import { LEVELS, levelName } from '@quarterdeck/core/plain';
import {
  type Client,
  type ErrlogEntry,
  type ErrlogFacets,
  type ErrlogHistogram,
  type ErrlogListQuery,
  type ErrlogState,
  type Page,
  paginate,
} from '@quarterdeck/sdk';
import { withChange } from '../filters/with-change.ts';
import { clean } from '../text/clean.ts';
import { plural } from '../text/format.ts';
import type { RangeBounds } from '../times/range.ts';
import { withRange } from './errlog-range.ts';
import { passesByNewestLine } from './newest-line.ts';
import { facetNames } from './source-names.ts';

/** Filter and order of the list. */
export type ErrlogFilter = Omit<ErrlogListQuery, 'page' | 'page_size' | 'start' | 'end' | 'detail' | keyof RangeBounds>;

/** A filter and the ends of the time range, for requests. */
export type ErrlogQuery = ErrlogFilter & RangeBounds;

/** Matches everything. */
export const NO_FILTER: ErrlogFilter = {};

/** States that need attention. */
export const OPEN_STATES = 'new,ongoing,regressed';

const EXPORT_PAGE = 1_000;

/** Reads rows of the list; count, time and message are those in the time range. */
export async function listErrlog(
  client: Client,
  query: ErrlogQuery,
  rows: { start: number; end: number },
  signal?: AbortSignal,
) {
  const page = await client.errlog.list({ query: { ...query, ...rows, detail: 1 } }, { signal });
  return { ...page, data: page.data.map(withRange) };
}

/** Reads the first rows that pass the filter, without grouping by error. */
export const firstErrlog = (client: Client, filter: ErrlogQuery): Promise<ErrlogEntry[]> =>
  client.errlog.list({ query: { ...narrowing(filter), page_size: EXPORT_PAGE, detail: 1 } }).then(({ data }) => data);

/** Reads all rows that pass the filter, in the order of the list; reports the number of rows read so far. */
export async function allErrlog(
  client: Client,
  filter: ErrlogQuery,
  progress?: (read: number) => void,
): Promise<ErrlogEntry[]> {
  const rows: ErrlogEntry[] = [];
  // The export has no grouping by error.
  const all =
    filter.rollup === true
      ? paginate(client.errlog.list, { query: { ...filter, detail: 1 } }, { pageSize: EXPORT_PAGE })
      : client.exportErrlog({ filter: narrowing(filter) });
  for await (const row of all) {
    rows.push(row);
    if (rows.length % EXPORT_PAGE === 0) progress?.(rows.length);
  }
  return filter.rollup === true ? rows : inOrder(rows, filter.sort);
}

function inOrder(rows: ErrlogEntry[], sort: ErrlogFilter['sort'] = '-log_time'): ErrlogEntry[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  if (/(level|source)$/.test(sort)) {
    const names = [...new Set(rows.map(({ source = '' }) => source))].sort();
    const places = new Map(names.map((name, place) => [name, place]));
    const placeOf = ({ level, source = '' }: ErrlogEntry): number =>
      sort.endsWith('level') ? level : (places.get(source) ?? 0);
    return rows.sort((a, b) => sign * (placeOf(a) - placeOf(b)) || b.log_time - a.log_time || b.id - a.id);
  }
  const column = sort.replace('-', '') as 'log_time' | 'first_seen' | 'count';
  return rows.sort((a, b) => sign * ((a[column] ?? 0) - (b[column] ?? 0) || a.id - b.id));
}

/** Removes the order and the grouping from a filter, for requests that are not lists. */
const narrowing = (filter: ErrlogQuery): Omit<ErrlogQuery, 'sort' | 'rollup'> =>
  withChange(filter, { sort: undefined, rollup: undefined });

/** Reads counts over time. Without `endS`, until now. */
export const errlogHistogram = (
  client: Client,
  filter: ErrlogFilter,
  window: { readonly startS: number; readonly endS: number; readonly buckets: number },
  signal?: AbortSignal,
): Promise<ErrlogHistogram> => {
  const { startS: start_time, endS: end_time, buckets } = window;
  return client.errlog.histogram({ query: { ...narrowing(filter), start_time, end_time, buckets } }, { signal });
};

/** Maximum number of counted values, as on the server. */
const FREQUENCY_TOP = 1_000;

/** Maximum number of values of a facet. */
const FACET_TOP = 50;

/** Reads the counts of all facets. */
export const errlogFacets = (client: Client, filter: ErrlogQuery, signal?: AbortSignal): Promise<ErrlogFacets> =>
  client.errlog.facets({ query: { ...narrowing(filter), top: FACET_TOP } }, { signal });

/**
 * Counts the values of a column over all groups that pass the filter; undefined if the server does not count the
 * column.
 */
export function errlogValueCounts(
  client: Client,
  filter: ErrlogQuery,
  column: string,
): Promise<{ counted: { value: string; count: number }[]; of: string }> | undefined {
  if (!['level', 'state', 'source', 'service'].includes(column)) return undefined;
  const query = { ...narrowing(filter), top: FREQUENCY_TOP };
  return client.errlog.facets({ query }).then(({ levels, states, sources, services, partial }) => {
    const names = facetNames(sources);
    const groups = levels.reduce((sum, { count }) => sum + count, 0);
    const known = services.reduce((sum, { count }) => sum + count, 0);
    const values: Readonly<Record<string, { value: string; count: number }[]>> = {
      level: levels.map(({ level, count }) => ({ value: levelName(level), count })),
      state: states.map(({ state, count }) => ({ value: state, count })),
      source: sources.map(({ src, count }) => ({ value: names.get(src) ?? '', count })),
      service: [
        ...services.map(({ service, count }) => ({ value: service, count })),
        ...(groups > known && services.length < FREQUENCY_TOP ? [{ value: '', count: groups - known }] : []),
      ],
    };
    const counted = (values[column] ?? []).sort((a, b) => b.count - a.count);
    return { counted, of: `${partial === true ? 'the newest ' : ''}${plural(groups, 'group')}` };
  });
}

/** Maximum number of sources of an error to read. */
const SOURCES_MAX = 100;

/** Reads the groups of an error on all of its sources, the most frequent first. */
export const errorGroups = (
  client: Client,
  { fingerprint = '', level, app_id: app }: Pick<ErrlogEntry, 'fingerprint' | 'level' | 'app_id'>,
  bounds: RangeBounds,
  { signal, most = SOURCES_MAX }: { readonly signal?: AbortSignal; readonly most?: number } = {},
): Promise<Page<ErrlogEntry>> => {
  const error = { fingerprint, level, ...(app === undefined ? {} : { app_id: app }) };
  const query = { ...error, ...bounds, sort: '-count', detail: 1, page_size: most } as const;
  return client.errlog.list({ query }, signal === undefined ? {} : { signal });
};

/** Largest page of the server. */
const PAGE_MAX = 10_000;

/** Groups of one error in a filter at most; a filter has 4 KiB. */
export const FILTERED_GROUPS_MAX = 400;

/** Returns the groups that an entry stands for: several where it has the same error of several sources. */
export async function groupsOf(
  client: Client,
  entry: ErrlogEntry,
  { signal, most = PAGE_MAX }: { readonly signal?: AbortSignal; readonly most?: number } = {},
): Promise<readonly ErrlogEntry[]> {
  const { sources = 1, fingerprint } = entry;
  if (sources < 2 || fingerprint === undefined) return [entry];
  return (await errorGroups(client, entry, {}, { most, ...(signal === undefined ? {} : { signal }) })).data;
}

/** Returns the occurrences of an entry: those in the range of its list, if that has one. */
export const timesOf = ({ count, count_in_range: inRange }: ErrlogEntry): number => inRange ?? count;

/** Changes the state of several groups. Resolves with the number of changed groups. */
export async function setErrlogState(
  client: Client,
  ids: readonly number[],
  state: ErrlogState,
  until?: string,
): Promise<number> {
  const body = { ids: [...ids], state, ...(until === undefined ? {} : { until }) };
  return (await client.errlog.bulk({ body })).done;
}

/** Changes the state of all groups that match. A dry run only counts them. */
export const setMatchingState = (
  client: Client,
  filter: ErrlogQuery,
  change: { readonly state: ErrlogState; readonly until?: string; readonly dry_run?: boolean },
) => {
  const { state, req_id, ...others } = narrowing(filter);
  // States are one text in a body, as in a query.
  const body = {
    ...others,
    ...(state === undefined ? {} : { state }),
    ...(req_id === undefined ? {} : { req_id: String(req_id) }),
  };
  return client.errlog.bulk({ body: { filter: body, ...change } });
};

export const setErrlogNote = (client: Client, id: number, note: string): Promise<ErrlogEntry> =>
  client.errlog.update({ params: { id }, body: { note } });

/** Returns whether the list is in the order of time. Only then do new entries come first. */
export const isByTime = ({ sort = '-log_time' }: ErrlogFilter): boolean => sort === '-log_time';

/** Returns whether an entry passes a filter; `unknown` if only the server can tell. */
export function matchesFilter(entry: ErrlogEntry, filter: ErrlogFilter): 'yes' | 'no' | 'unknown' {
  const { state, rollup, req_id, filter: text, ...live } = filter;
  const states = state?.split(',') as ErrlogState[] | undefined;
  if (!matchesErrlog(entry, { ...live, ...(states === undefined ? {} : { state: states }) })) return 'no';
  const asks = [rollup, req_id].some((value) => value !== undefined && value !== false);
  const passing = text === undefined ? 'yes' : passesByNewestLine(entry, text);
  return passing === 'yes' && (asks || !isByTime(filter)) ? 'unknown' : passing;
}

/** Returns the rows that pass a new filter, or may pass it; a new text is answered by the server alone. */
export function rowsBeforeAnswer(
  rows: ReadonlyMap<number, ErrlogEntry>,
  filter: ErrlogFilter,
  before: ErrlogFilter,
): ReadonlyMap<number, ErrlogEntry> {
  const isNewText = filter.filter !== undefined && filter.filter !== before.filter;
  const passing = isNewText ? ['yes'] : ['yes', 'unknown'];
  return new Map([...rows].filter(([, row]) => passing.includes(matchesFilter(row, filter))));
}

/** Parses a level given by number or name; undefined if it is neither. */
export function readLevel(text: string): number | undefined {
  const named = (LEVELS as readonly string[]).indexOf(text.toUpperCase());
  if (named !== -1) return named;
  return /^[0-8]$/.test(text) ? Number(text) : undefined;
}

/** Describes a filter, one phrase for each part but the text. */
export function describeFilter(filter: ErrlogFilter, nameOf: (src: number) => string): string[] {
  const { level_max: levelMax, level, src, service, app_id: app, req_id: request, state, sort, rollup } = filter;
  return [
    ...(levelMax === undefined ? [] : [`${levelName(levelMax)} or worse`]),
    ...(level === undefined ? [] : [levelName(level)]),
    ...(state === undefined ? [] : [state === OPEN_STATES ? 'open' : clean(state.replaceAll(',', ' or '))]),
    ...(src === undefined ? [] : [`from ${clean(nameOf(src))}`]),
    ...(service === undefined ? [] : [clean(service)]),
    ...(app === undefined ? [] : [`app ${app}`]),
    ...(request === undefined ? [] : [`request ${clean(String(request))}`]),
    ...(filter.fingerprint === undefined ? [] : ['same error']),
    ...(rollup === true ? ['grouped by error'] : []),
    ...(sort === undefined || sort === '-log_time' ? [] : [`by ${sort.replace('-', '').replace('_', ' ')}`]),
  ];
}
