// Keeps the summary of the fleet up to date on a screen.
import type { Client } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { type Fleet, readFleet } from '../agents/fleet.ts';
import type { FeedEvent } from '../live/feed.ts';
import type { QueryHandle } from '../reads/query.ts';
import { useRead } from './use-query.ts';
import { useViews } from './views-context.ts';

const EVERY_MS = 10_000;

const isResync = (event: FeedEvent): boolean => event.type === 'resync' && event.data.of !== 'errlog';

/** Reads the summary while `active`. */
export function useFleet(active: boolean): QueryHandle<Fleet> {
  const { ahead } = useViews();
  const read = useCallback(
    (client: Client, signal: AbortSignal) => ahead.take('fleet') ?? readFleet(client, signal),
    [ahead],
  );
  return useRead(read, active, { everyMs: EVERY_MS, isStale: isResync });
}
