// Types of what is read before the first screen is drawn.
import type { ErrlogFacets, ErrlogHistogram, Page } from '@quarterdeck/core';
import type { ApiToken, ErrlogEntry } from '@quarterdeck/sdk';
import type { listErrlog } from './errlog.ts';
import type { Fleet } from './fleet.ts';

/** The errors on the overview. */
export interface OverviewErrors {
  /** The most frequent ones that are open. */
  readonly top: readonly ErrlogEntry[];
  readonly facets: ErrlogFacets;
  readonly histogram: ErrlogHistogram;
}

/** Answers by their name. */
export interface Answers {
  readonly errors: OverviewErrors;
  readonly fleet: Fleet;
  readonly tokens: Page<ApiToken>;
  readonly errlog: Awaited<ReturnType<typeof listErrlog>>;
}

/** Answers on their way; each is handed over once. */
export interface ReadAhead {
  /** `of`: the size that was asked for. Undefined where nothing of that size was asked for. */
  readonly take: <K extends keyof Answers>(name: K, of?: number) => Promise<Answers[K]> | undefined;
}

/** No answers. */
export const NOTHING_AHEAD: ReadAhead = { take: () => undefined };
