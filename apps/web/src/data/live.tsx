// The event stream, shared by all that is shown: the events that concern it, and the state of the connection.
import { type Connection, type Feed, type FeedEvent, STREAM_START } from '@quarterdeck/views/live';
import { useFeed, useConnection as useFeedConnection } from '@quarterdeck/views/react';
import { createContext, type ReactNode, use, useEffect, useEffectEvent } from 'react';
import { useSession } from '../session/session.tsx';

/** Returns whether an event makes data stale. */
export type Concerns = (event: FeedEvent) => boolean;

/** The events about one kind of things, or about one of them. */
export const about =
  (kind: 'agent' | 'alert' | 'errlog', id?: number): Concerns =>
  ({ type, data }) =>
    type.startsWith(`${kind}.`) && (id === undefined || ('id' in data && data.id === id));

const LiveContext = createContext<Feed | null>(null);

/** A refusal of the stream needs no message: the reads of the page show it. */
const ignore = (): void => undefined;

/** Keeps the stream open while somebody is signed in. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const { client, session } = useSession();
  const feed = useFeed(client, { online: session.status === 'in', now: Date.now, fail: ignore });
  return <LiveContext value={feed}>{children}</LiveContext>;
}

/** Calls `react` once for each batch with an event that concerns the caller. */
export function useLive(concerns: Concerns, react: () => void): void {
  const feed = use(LiveContext);
  const onEvents = useEffectEvent((events: readonly FeedEvent[]) => {
    // The reads of a page begin with the stream.
    const isStale = (event: FeedEvent): boolean =>
      event.type === 'resync' ? event.data.of === 'all' && event !== STREAM_START : concerns(event);
    if (events.some(isStale)) react();
  });
  useEffect(() => feed?.onEvents((events) => onEvents(events)), [feed]);
}

/** Returns the state of the stream; `off`: this caller gets no live updates. */
export function useConnection(): Connection['status'] {
  const feed = use(LiveContext);
  const { status } = useFeedConnection(feed);
  return feed === null ? 'off' : status;
}
