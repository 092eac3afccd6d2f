// The event stream for components.

import { failureOf } from '@quarterdeck/views/failures';
import { type Connection, createFeed, type Feed, type FeedEvent } from '@quarterdeck/views/live';
import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react';
import { useDashboard } from './dashboard.ts';
import type { Account, Session } from './session.ts';

/** Keeps a stream open for the account while it is online. */
export function useFeed(account: Account, session: Session, online: boolean, now: () => number): Feed | null {
  // Created in the first render, so that the stream itself renders nothing again.
  const feed = useMemo(() => {
    if (!online) return null;
    return createFeed(account.client, {
      now,
      fail(error) {
        const failure = failureOf(error);
        if (failure.kind === 'unauthorized') session.expire(account, failure);
      },
    });
  }, [account, session, online, now]);
  useEffect(() => {
    feed?.start();
    return () => feed?.stop();
  }, [feed]);
  return feed;
}

/** Calls `read` with each batch of events. */
export function useEvents(read: (events: readonly FeedEvent[]) => void): void {
  const { feed } = useDashboard();
  const onEvents = useEffectEvent(read);
  useEffect(() => feed?.onEvents((events) => onEvents(events)), [feed]);
}

const CONNECTING: Connection = { status: 'connecting' };
const nothing = (): (() => void) => () => undefined;

/** Returns the state of the connection. */
export function useConnection(feed: Feed | null): Connection {
  return useSyncExternalStore(feed?.onConnection ?? nothing, feed?.connection ?? (() => CONNECTING));
}
