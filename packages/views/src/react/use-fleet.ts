// Keeps the summary of the fleet up to date on a screen.
import { useCallback } from 'react';
import { type Fleet, readFleet } from '../agents/fleet.ts';
import type { QueryHandle } from '../reads/query.ts';
import { useEvents } from './use-events.ts';
import { useQuery } from './use-query.ts';
import { useViews } from './views-context.ts';

const EVERY_MS = 10_000;

/** Reads the summary while `active`. */
export function useFleet(active: boolean): QueryHandle<Fleet> {
  const { client, ahead, online } = useViews();
  const read = useCallback((signal: AbortSignal) => ahead.take('fleet') ?? readFleet(client, signal), [client, ahead]);
  const handle = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  const { refresh } = handle;
  useEvents((events) => {
    if (active && events.some((event) => event.type === 'resync' && event.data.of !== 'errlog')) refresh();
  });
  return handle;
}
