// Requests about error logs.
import {
  type contract,
  type ErrlogFacets,
  type ErrlogHistogram,
  type ErrlogOccurrence,
  type ErrlogState,
  type Input,
  LEVELS,
  levelName,
  matchesErrlog,
} from '@quarterdeck/core';
import { type Client, type ErrlogEntry, paginate } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { plural } from '../text/format.ts';
import { withChange } from './filter.ts';

type Query = NonNullable<Input<(typeof contract)['errlog']['list']>['query']>;

/** Filter and order of the list. */
export type ErrlogFilter = Omit<Query, 'page' | 'page_size' | 'start' | 'end' | 'detail'>;

/** Matches everything. */
export const NO_FILTER: ErrlogFilter = {};

/** States that need attention. */
export const OPEN_STATES = 'new,ongoing,regressed';

const EXPORT_PAGE = 1_000;

/** Reads rows of the list. */
export const listErrlog = (
  client: Client,
  filter: ErrlogFilter,
  range: { start: number; end: number },
  signal?: AbortSignal,
) => client.errlog.list({ query: { ...filter, ...range, detail: 1 } }, { signal });

/** Reads all rows that pass the filter, in the order of the list. */
export async function allErrlog(client: Client, filter: ErrlogFilter): Promise<ErrlogEntry[]> {
  const rows: ErrlogEntry[] = [];
  // The export has no grouping by error.
  const all =
    filter.rollup === true
      ? paginate(client.errlog.list, { query: { ...filter, detail: 1 } }, { pageSize: EXPORT_PAGE })
      : client.exportErrlog({ filter: narrowing(filter) });
  for await (const row of all) rows.push(row);
  return filter.rollup === true ? rows : inOrder(rows, filter.sort);
}

function inOrder(rows: ErrlogEntry[], sort: ErrlogFilter['sort'] = '-log_time'): ErrlogEntry[] {
  const column = sort.replace('-', '') as 'log_time' | 'first_seen' | 'count';
  const sign = sort.startsWith('-') ? -1 : 1;
  return rows.sort((a, b) => sign * ((a[column] ?? 0) - (b[column] ?? 0) || a.id - b.id));
}

/** Removes the order and the grouping from a filter, for requests that are not lists. */
const narrowing = (filter: ErrlogFilter): Omit<ErrlogFilter, 'sort' | 'rollup'> =>
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
export const errlogFacets = (client: Client, filter: ErrlogFilter, signal?: AbortSignal): Promise<ErrlogFacets> =>
  client.errlog.facets({ query: { ...narrowing(filter), top: FACET_TOP } }, { signal });

/**
 * Counts the values of a column over all groups that pass the filter; undefined if the server does not count the
 * column.
 */
export function errlogValueCounts(
  client: Client,
  filter: ErrlogFilter,
  column: string,
): Promise<{ counted: { value: string; count: number }[]; of: string }> | undefined {
  if (!['level', 'state', 'source'].includes(column)) return undefined;
  const query = { ...narrowing(filter), top: FREQUENCY_TOP };
  return client.errlog.facets({ query }).then(({ levels, states, sources }) => {
    const groups = levels.reduce((sum, { count }) => sum + count, 0);
    const counted =
      column === 'level'
        ? levels.map(({ level, count }) => ({ value: levelName(level), count }))
        : column === 'state'
          ? states.map(({ state, count }) => ({ value: state, count }))
          : sources.map(({ src, name, count }) => ({ value: sourceName({ src, source: name }), count }));
    return { counted: counted.sort((a, b) => b.count - a.count), of: plural(groups, 'group') };
  });
}

/** Maximum number of shown occurrences. */
const OCCURRENCES = 50;

/** Reads the latest occurrences of a group. */
export const errlogOccurrences = async (
  client: Client,
  id: number,
  signal: AbortSignal,
): Promise<readonly ErrlogOccurrence[]> =>
  (await client.errlog.occurrences({ params: { id }, query: { page_size: OCCURRENCES } }, { signal })).data;

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
  filter: ErrlogFilter,
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

/** Writes a note. */
export const setErrlogNote = (client: Client, id: number, note: string): Promise<ErrlogEntry> =>
  client.errlog.update({ params: { id }, body: { note } });

/** Returns whether the list is in the order of time. Only then do new entries come first. */
export const isByTime = ({ sort = '-log_time' }: ErrlogFilter): boolean => sort === '-log_time';

/** Returns whether an entry passes a filter; `unknown` if only the server can tell. */
export function matchesFilter(entry: ErrlogEntry, filter: ErrlogFilter): 'yes' | 'no' | 'unknown' {
  const { state, rollup, req_id, start_time, end_time, ...live } = filter;
  const states = state?.split(',') as ErrlogState[] | undefined;
  if (!matchesErrlog(entry, { ...live, ...(states === undefined ? {} : { state: states }) })) return 'no';
  const asks = [rollup, req_id, start_time, end_time].some((value) => value !== undefined && value !== false);
  return asks || !isByTime(filter) ? 'unknown' : 'yes';
}

/** Returns the name of an entry's source. */
export function sourceName({ source, src }: Pick<ErrlogEntry, 'source' | 'src'>): string {
  if (source !== undefined && source !== '') return source;
  return src === 0 ? 'this server' : `#${src}`;
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
    ...(filter.start_time === undefined ? [] : ['time range']),
    ...(filter.fingerprint === undefined ? [] : ['same error']),
    ...(rollup === true ? ['grouped by error'] : []),
    ...(sort === undefined || sort === '-log_time' ? [] : [`by ${sort.replace('-', '').replace('_', ' ')}`]),
  ];
}
