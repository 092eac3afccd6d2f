// Types of the reads that start before the first screen is drawn.
import type { ApiToken, ErrlogEntry, ErrlogFacets, ErrlogHistogram, Page } from '@quarterdeck/sdk';
import type { Fleet } from '../agents/fleet.ts';
import type { listErrlog } from '../errlog/errlog.ts';
import type { TimeRange } from '../times/range.ts';

export interface OverviewErrors {
  /** Null: of all times, with a chart of the last day. */
  readonly range: TimeRange | null;
  /** The open errors that are most frequent in the range, each on all of its sources. */
  readonly top: readonly ErrlogEntry[];
  readonly facets: ErrlogFacets;
  readonly histogram: ErrlogHistogram;
}

/** Answers by name. */
export interface Answers {
  readonly errors: OverviewErrors;
  readonly fleet: Fleet;
  readonly tokens: Page<ApiToken>;
  readonly errlog: Awaited<ReturnType<typeof listErrlog>>;
}

/** Answers on their way. Each is handed over once. */
export interface ReadAhead {
  /** Returns the answer for the size `of`; undefined if that size was not requested. */
  readonly take: <K extends keyof Answers>(name: K, of?: number) => Promise<Answers[K]> | undefined;
}

/** No answers. */
export const NOTHING_AHEAD: ReadAhead = { take: () => undefined };
