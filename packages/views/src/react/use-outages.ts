// Requests about outages: times at which many agents went silent together.
import type { Outage } from '@quarterdeck/core';
import type { ReadRange } from '../reads/lists.ts';
import type { Rows } from '../reads/window.ts';
import { useEvents } from './use-events.ts';
import { useRows } from './use-rows.ts';

const EVERY_MS = 15_000;
/** Number of the latest outages to search for an open one. */
const LATEST = 5;

const list: ReadRange<Outage> = (client, query, signal) => client.outage.list({ query }, { signal });

/** Reads the outages while `active`, and again when one begins or ends. */
function useFollowed(active: boolean, first?: number): Rows<Outage> {
  const handle = useRows(list, active, { everyMs: EVERY_MS, ...(first === undefined ? {} : { first }) });
  const { refresh } = handle;
  useEvents((events) => {
    if (active && events.some(({ type }) => type === 'agent.outage')) refresh();
  });
  return handle;
}

/** Reads the outages, newest first. */
export const useOutages = (active: boolean): Rows<Outage> => useFollowed(active);

/** Returns the open outage; undefined if there is none. */
export const useOpenOutage = (active: boolean): Outage | undefined =>
  useFollowed(active, LATEST).rows.find(({ ended }) => ended === null);
