// Reads the errors of the overview.
import type { Client } from '@quarterdeck/sdk';
import type { Glyphs } from '../../components/glyphs.ts';
import type { OverviewErrors } from '../../data/ahead.ts';
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

/** The most frequent open errors and warnings. */
const TOP: ErrlogFilter = { sort: '-count', level_max: 5, state: OPEN_STATES };
const TOP_ROWS = 30;

/** Number of buckets of the chart on a screen of `width` columns. */
export const overviewBuckets = (width: number, glyphs: Glyphs): number => chartBuckets(width - 2, glyphs);

/** Reads the errors; the chart has so many `buckets`. */
export async function readErrors(
  client: Client,
  nowMs: number,
  buckets: number,
  signal?: AbortSignal,
): Promise<OverviewErrors> {
  const window = { ...endsOf(LAST_DAY, Math.floor(nowMs / 1000)), buckets };
  const [top, facets, histogram] = await Promise.all([
    listErrlog(client, TOP, { start: 0, end: TOP_ROWS }, signal),
    errlogFacets(client, NO_FILTER, signal),
    errlogHistogram(client, NO_FILTER, window, signal),
  ]);
  return { top: top.data, facets, histogram };
}
