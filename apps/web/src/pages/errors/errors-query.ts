// The list of errors in the address: parameters have the names of the API.
import type { ErrlogListQuery } from '@quarterdeck/sdk';
import { type Bounds, boundsOf, type Range, rangeOf } from '../../data/range.ts';

type Sort = NonNullable<ErrlogListQuery['sort']>;

/** Orders of the list. */
const SORTS: readonly Sort[] = ['-log_time', '-count', '-first_seen'];

/** Selection of an address. */
export interface ErrorsQuery {
  readonly range: Range;
  readonly sort: Sort;
  readonly rollup: boolean;
  /** Filters of all requests. */
  readonly filter: Pick<ErrlogListQuery, 'filter' | 'level' | 'level_max' | 'state' | 'src' | 'service' | 'app_id'>;
}

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

/** Reads an address. */
export function errorsQuery(params: URLSearchParams): ErrorsQuery {
  const text = (name: string): string | undefined => params.get(name) || undefined;
  return {
    range: rangeOf(params),
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? '-log_time',
    rollup: params.get('rollup') === '1',
    filter: {
      filter: text('filter'),
      level: numberOf(params.get('level')),
      level_max: numberOf(params.get('level_max')),
      state: text('state'),
      src: numberOf(params.get('src')),
      service: text('service'),
      app_id: numberOf(params.get('app_id')),
    },
  };
}

/** Bars of the chart. */
const BARS = 60;
/** Longest span of the chart without a range, seconds. */
const CHART_MAX_S = 30 * 86_400;

/** The query of the chart, which needs a beginning. */
export function chartQuery({ range, filter }: ErrorsQuery, nowS: number) {
  const bounds: Bounds = boundsOf(range, nowS);
  return { ...filter, start_time: nowS - CHART_MAX_S, ...bounds, buckets: BARS };
}
