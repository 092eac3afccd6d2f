// The lines of an address: parameters have the names of the API.
import type { LineListQuery } from '@quarterdeck/sdk';
import { type Bounds, boundsOf, type Range, rangeOf } from '../../data/range.ts';

/** Filters of an address. */
type Filters = Pick<LineListQuery, 'filter' | 'group' | 'host' | 'service' | 'src' | 'level_max' | 'req_id'>;

/** Selection of an address. */
export interface LinesQuery {
  readonly range: Range;
  readonly filters: Filters;
  /** New lines are shown as they arrive. */
  readonly isLive: boolean;
  /** A line whose neighbours are shown in place of the list. */
  readonly around: string | undefined;
  /** Fields with a column of their own. */
  readonly columns: readonly string[];
}

const COLUMNS_MAX = 6;
const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

/** Reads an address. */
export function linesQuery(params: URLSearchParams): LinesQuery {
  const text = (name: string): string | undefined => params.get(name) || undefined;
  const range = rangeOf(params);
  return {
    range,
    filters: {
      filter: text('filter'),
      group: numberOf(params.get('group')),
      host: text('host'),
      service: text('service'),
      src: numberOf(params.get('src')),
      level_max: numberOf(params.get('level_max')),
      req_id: text('req_id'),
    },
    // A span that has ended gets no new lines.
    isLive: params.get('live') === '1' && !(range.kind === 'span' && range.endS !== undefined),
    around: /^[1-9]\d{0,14}$/.test(params.get('around') ?? '') ? (params.get('around') ?? undefined) : undefined,
    columns: (params.get('columns') ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .slice(0, COLUMNS_MAX),
  };
}

/** The query of requests about a selection. */
export const requestOf = ({ filters, range }: LinesQuery, nowS: number): Filters & Bounds => ({
  ...filters,
  ...boundsOf(range, nowS),
});
