// Requests about outages: times at which many agents went silent together.
import type { Outage } from '@quarterdeck/sdk';
import type { FeedEvent } from '../live/feed.ts';
import type { ReadRange } from '../reads/lists.ts';
import type { Rows } from '../reads/window.ts';
import { useRows } from './use-rows.ts';

/** Number of the latest outages to search for an open one. */
const LATEST = 5;

const list: ReadRange<Outage> = (client, query, signal) => client.outage.list({ query }, { signal });

/** Outages are read again when one begins or ends. */
const READS = { everyMs: 15_000, isStale: ({ type }: FeedEvent): boolean => type === 'agent.outage' };

/** Reads the outages while `active`, newest first. */
export const useOutages = (active: boolean): Rows<Outage> => useRows(list, active, READS);

/** Returns the open outage; undefined if there is none. */
export const useOpenOutage = (active: boolean): Outage | undefined =>
  useRows(list, active, { ...READS, first: LATEST }).rows.find(({ ended }) => ended === null);
