// The event stream for components.
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { useDashboard } from './dashboard.ts';
import { failureOf } from './failure.ts';
import { type Connection, type Feed, type FeedEvent, openFeed } from './feed.ts';
import type { Account, Session } from './session.ts';

/** Keeps a stream open for the account while it is online. */
export function useFeed(account: Account, session: Session, online: boolean, now: () => number): Feed | null {
  const [feed, setFeed] = useState<Feed | null>(null);
  useEffect(() => {
    if (!online) return;
    const opened = openFeed(account.client, {
      now,
      fail(error) {
        const failure = failureOf(error);
        if (failure.kind === 'unauthorized') session.expire(account, failure);
      },
    });
    setFeed(opened);
    return () => {
      opened.stop();
      setFeed(null);
    };
  }, [account, session, online, now]);
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

/** What the connection is doing. */
export function useConnection(feed: Feed | null): Connection {
  return useSyncExternalStore(feed?.onConnection ?? nothing, feed?.connection ?? (() => CONNECTING));
}
