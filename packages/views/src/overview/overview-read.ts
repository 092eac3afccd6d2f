// Reads the errors of the overview.
import type { Client } from '@quarterdeck/sdk';
import {
  type ErrlogFilter,
  errlogFacets,
  errlogHistogram,
  listErrlog,
  NO_FILTER,
  OPEN_STATES,
} from '../errlog/errlog.ts';
import { endsOf, windowOf } from '../times/chart-window.ts';
import { rangeBounds, type TimeRange } from '../times/range.ts';
import type { OverviewErrors } from './ahead.ts';

/** The most frequent open errors and warnings, each on all of its sources. */
const TOP: ErrlogFilter = { sort: '-count', level_max: 5, state: OPEN_STATES, rollup: true };
const TOP_ROWS = 60;

/** Reads the errors in a range; the chart has so many `buckets`. */
export async function readErrors(
  client: Client,
  nowMs: number,
  buckets: number,
  range: TimeRange | null,
  signal?: AbortSignal,
): Promise<OverviewErrors> {
  const nowS = Math.floor(nowMs / 1000);
  const bounds = rangeBounds(range, nowS);
  const window = { ...endsOf(windowOf(range, nowS), nowS), buckets };
  const [top, facets, histogram] = await Promise.all([
    listErrlog(client, { ...TOP, start_time: window.startS, ...bounds }, { start: 0, end: TOP_ROWS }, signal),
    errlogFacets(client, bounds, signal),
    errlogHistogram(client, NO_FILTER, window, signal),
  ]);
  // The server orders by the counts of all times.
  return { range, top: top.data.toSorted((a, b) => b.count - a.count), facets, histogram };
}
