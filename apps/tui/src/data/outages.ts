// Requests about outages: times at which many agents went silent together.
import type { Outage } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { useEvents } from './use-events.ts';
import { ROWS_MAX, type Rows, useRows } from './use-rows.ts';

const EVERY_MS = 15_000;
/** Number of the latest outages to search for an open one. */
const LATEST = 5;

const list = (client: Client, signal: AbortSignal) =>
  client.outage.list({ query: { page_size: ROWS_MAX } }, { signal });
const latest = (client: Client, signal: AbortSignal) =>
  client.outage.list({ query: { page_size: LATEST } }, { signal });

/** Reads the outages while `active`, and again when one begins or ends. */
function useFollowed(read: typeof list, active: boolean): Rows<Outage> {
  const handle = useRows(read, active, EVERY_MS);
  const { refresh } = handle;
  useEvents((events) => {
    if (active && events.some(({ type }) => type === 'agent.outage')) refresh();
  });
  return handle;
}

/** Reads the outages, newest first. */
export const useOutages = (active: boolean): Rows<Outage> => useFollowed(list, active);

/** Returns the open outage; undefined if there is none. */
export const useOpenOutage = (active: boolean): Outage | undefined =>
  useFollowed(latest, active).rows.find(({ ended }) => ended === null);
