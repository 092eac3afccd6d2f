// The event stream, shared by all that is shown: batches of events, and the state of the connection.
import type { EventOf } from '@quarterdeck/sdk';
import { createContext, type ReactNode, use, useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react';
import { useSession } from '../session/session.tsx';

/** One event of the stream. */
export type LiveEvent = EventOf;
/** Returns whether an event makes data stale. */
export type Concerns = (event: LiveEvent) => boolean;

/** State of the stream; `off`: this caller gets no live updates. */
export type Connection = 'connecting' | 'live' | 'lost' | 'off';

interface Live {
  readonly connection: () => Connection;
  readonly onConnection: (watcher: () => void) => () => void;
  readonly onEvents: (reader: (events: readonly LiveEvent[]) => void) => () => void;
  readonly start: () => () => void;
}

/** Shortest time between two batches, milliseconds. */
const BATCH_MS = 200;
/** Longest wait before a reconnect, milliseconds. */
const RETRY_MAX_MS = 5_000;

const LiveContext = createContext<Live | null>(null);

function createLive(
  events: (signal: AbortSignal, onStatus: (status: string) => void) => AsyncIterable<LiveEvent>,
): Live {
  const watchers = new Set<() => void>();
  const readers = new Set<(events: readonly LiveEvent[]) => void>();
  let connection: Connection = 'connecting';
  let batch: LiveEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const setConnection = (next: Connection): void => {
    connection = next;
    for (const watcher of watchers) watcher();
  };
  const flush = (): void => {
    timer = undefined;
    const events = batch;
    batch = [];
    for (const reader of readers) reader(events);
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    const onStatus = (status: string): void => {
      if (status !== 'connecting') setConnection(status === 'open' ? 'live' : 'lost');
    };
    try {
      for await (const event of events(signal, onStatus)) {
        batch.push(event);
        timer ??= setTimeout(flush, BATCH_MS);
      }
    } catch {
      // A refusal: the reads of the page show it.
    }
    if (!signal.aborted) setConnection('off');
  };
  return {
    connection: () => connection,
    onConnection(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    onEvents(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    start() {
      const controller = new AbortController();
      void follow(controller.signal);
      return () => {
        controller.abort();
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}

/** Keeps the stream open while somebody is signed in. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const { client, session } = useSession();
  const isOn = session.status === 'in';
  const live = useMemo(
    () =>
      isOn ? createLive((signal, onStatus) => client.events({ signal, onStatus, retryMaxMs: RETRY_MAX_MS })) : null,
    [client, isOn],
  );
  useEffect(() => live?.start(), [live]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** Calls `react` once for each batch with an event that concerns the caller. */
export function useLive(concerns: Concerns, react: () => void): void {
  const live = use(LiveContext);
  const onEvents = useEffectEvent((events: readonly LiveEvent[]) => {
    if (events.some((event) => (event.type === 'resync' && event.data.of === 'all') || concerns(event))) react();
  });
  useEffect(() => live?.onEvents((events) => onEvents(events)), [live]);
}

const nothing = (): (() => void) => () => undefined;

/** Returns the state of the stream. */
export function useConnection(): Connection {
  const live = use(LiveContext);
  return useSyncExternalStore(live?.onConnection ?? nothing, live?.connection ?? (() => 'off'));
}
