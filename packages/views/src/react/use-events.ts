// The event stream for components.

import type { Client } from '@quarterdeck/sdk';
import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react';
import { type Connection, createFeed, type Feed, type FeedEvent } from '../live/feed.ts';
import { useViews } from './views-context.ts';

/** Keeps a stream open while `online`. `fail`, which must be stable, receives the error that ended it. */
export function useFeed(
  client: Client,
  {
    online,
    now,
    fail,
  }: { readonly online: boolean; readonly now: () => number; readonly fail: (error: unknown) => void },
): Feed | null {
  // Created in the first render, so that the stream itself renders nothing again.
  const feed = useMemo(() => (online ? createFeed(client, { now, fail }) : null), [client, online, now, fail]);
  useEffect(() => {
    feed?.start();
    return () => feed?.stop();
  }, [feed]);
  return feed;
}

/** Calls `read` with each batch of events. */
export function useEvents(read: (events: readonly FeedEvent[]) => void): void {
  const { feed } = useViews();
  const onEvents = useEffectEvent(read);
  useEffect(() => feed?.onEvents((events) => onEvents(events)), [feed]);
}

const CONNECTING: Connection = { status: 'connecting' };
const nothing = (): (() => void) => () => undefined;

/** Returns the state of the connection. */
export function useConnection(feed: Feed | null): Connection {
  return useSyncExternalStore(feed?.onConnection ?? nothing, feed?.connection ?? (() => CONNECTING));
}
