// What the overview is made of, as it is asked for.
import type { ErrlogFacets, ErrlogHistogram } from '@quarterdeck/core';
import type { Client, ErrlogEntry } from '@quarterdeck/sdk';
import type { Glyphs } from '../../components/glyphs.ts';
import {
  type ErrlogFilter,
  errlogFacets,
  errlogHistogram,
  listErrlog,
  NO_FILTER,
  OPEN_STATES,
} from '../../data/errlog.ts';
import { endsOf, LAST_DAY } from '../errlog/chart-window.ts';
import { chartBuckets } from '../errlog/errlog-chart.ts';

/** The errors that the overview is made of. */
export interface Errors {
  /** The most frequent ones that somebody still has to look at. */
  readonly top: readonly ErrlogEntry[];
  readonly facets: ErrlogFacets;
  readonly histogram: ErrlogHistogram;
}

/** The most frequent ones, of warnings or worse that nobody has resolved or muted. */
const TOP: ErrlogFilter = { sort: '-count', level_max: 5, state: OPEN_STATES };
const TOP_ROWS = 30;

/** So many buckets the chart of a screen of so many columns has. */
export const overviewBuckets = (width: number, glyphs: Glyphs): number => chartBuckets(width - 2, glyphs);

/** Reads it; `buckets`: of the chart. */
export async function readErrors(
  client: Client,
  nowMs: number,
  buckets: number,
  signal?: AbortSignal,
): Promise<Errors> {
  const window = { ...endsOf(LAST_DAY, Math.floor(nowMs / 1000)), buckets };
  const [top, facets, histogram] = await Promise.all([
    listErrlog(client, TOP, { start: 0, end: TOP_ROWS }, signal),
    errlogFacets(client, NO_FILTER, signal),
    errlogHistogram(client, NO_FILTER, window, signal),
  ]);
  return { top: top.data, facets, histogram };
}
