// The event stream as the screens need it: in batches, at most ten a second, with the state of the connection.
// Outside React, so that events do not render what nobody looks at.
import type { Client, EventOf } from '@quarterdeck/sdk';
import { failureOf } from './failure.ts';
import { retryDelayMs } from './query.ts';

/** One event of the stream. */
export type FeedEvent = EventOf;

/** What the connection is doing. `off`: this user gets no live updates. */
export type Connection =
  | { readonly status: 'connecting' | 'live' | 'off' }
  | { readonly status: 'lost'; readonly sinceMs: number };

/** The live side of one account. */
export interface Feed {
  readonly connection: () => Connection;
  readonly onConnection: (watcher: () => void) => () => void;
  readonly onEvents: (reader: (events: readonly FeedEvent[]) => void) => () => void;
  /** Begins to read. */
  readonly start: () => void;
  readonly stop: () => void;
}

/** What {@link createFeed} takes. */
export interface FeedOptions {
  readonly now: () => number;
  /** Told of an error that ended the stream. */
  readonly fail: (error: unknown) => void;
  /** Least time between two batches, milliseconds. */
  readonly everyMs?: number;
}

/** Somebody looks at it: a server that is back is noticed soon. */
const RETRY_MAX_MS = 5_000;

/** The first event of a stream. A list that was read before it must be read again: what happened in between is in neither. */
export const STREAM_START: FeedEvent = { id: '', type: 'resync', data: { reason: 'the stream begins', of: 'all' } };

/** The events of a client; nothing is asked for yet. */
export function createFeed(client: Pick<Client, 'events'>, { now, fail, everyMs = 100 }: FeedOptions): Feed {
  const controller = new AbortController();
  const watchers = new Set<() => void>();
  const readers = new Set<(events: readonly FeedEvent[]) => void>();
  let connection: Connection = { status: 'connecting' };
  let batch: FeedEvent[] = [];
  let flushTimer: NodeJS.Timeout | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  let flushedAtMs = Number.NEGATIVE_INFINITY;
  let begun = false;
  let failures = 0;

  const setConnection = (next: Connection): void => {
    if (controller.signal.aborted || (next.status === connection.status && next.status !== 'lost')) return;
    // Being lost begins once, however often it is tried again.
    if (next.status === 'lost' && connection.status === 'lost') return;
    connection = next;
    for (const watcher of watchers) watcher();
  };

  const flush = (): void => {
    flushTimer = undefined;
    flushedAtMs = now();
    const events = batch;
    batch = [];
    for (const reader of readers) reader(events);
  };

  const push = (event: FeedEvent): void => {
    batch.push(event);
    flushTimer ??= setTimeout(flush, Math.max(0, Math.min(everyMs, everyMs - (now() - flushedAtMs))));
  };

  const onStatus = (status: 'connecting' | 'open' | 'lost'): void => {
    if (status === 'connecting') return;
    if (status === 'lost') {
      setConnection({ status: 'lost', sinceMs: now() });
      return;
    }
    failures = 0;
    setConnection({ status: 'live' });
    if (!begun) push(STREAM_START);
    begun = true;
  };

  const read = async (): Promise<void> => {
    try {
      for await (const event of client.events({ signal: controller.signal, retryMaxMs: RETRY_MAX_MS, onStatus }))
        push(event);
      setConnection({ status: 'off' });
    } catch (error) {
      if (controller.signal.aborted) return;
      fail(error);
      const passing = failureOf(error).kind === 'unreachable';
      setConnection(passing ? { status: 'lost', sinceMs: now() } : { status: 'off' });
      if (!passing) return;
      // A stream that is opened anew does not know where the last one ended.
      begun = false;
      retryTimer = setTimeout(read, retryDelayMs(failures++));
    }
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
    start: () => void read(),
    stop() {
      controller.abort();
      clearTimeout(flushTimer);
      clearTimeout(retryTimer);
    },
  };
}
