// The event stream for screens: events in batches, at most ten a second, and the state of the connection. Outside
// React, so that events nobody shows do not render.
import type { Client, EventOf } from '@quarterdeck/sdk';
import { failureOf } from '../failures/failure.ts';
import { retryDelayMs } from '../reads/query.ts';

/** One event of the stream. */
export type FeedEvent = EventOf;

/** State of the connection. `off`: this user gets no live updates. */
export type Connection =
  | { readonly status: 'connecting' | 'live' | 'off' }
  | { readonly status: 'lost'; readonly sinceMs: number };

/** The event stream of one account. */
export interface Feed {
  readonly connection: () => Connection;
  readonly onConnection: (watcher: () => void) => () => void;
  readonly onEvents: (reader: (events: readonly FeedEvent[]) => void) => () => void;
  readonly start: () => void;
  readonly stop: () => void;
}

export interface FeedOptions {
  readonly now: () => number;
  /** Receives the error that ended the stream. */
  readonly fail: (error: unknown) => void;
  /** Minimum time between two batches, milliseconds. */
  readonly everyMs?: number;
  /** Reads live lines that match this filter instead of the events about everything else. */
  readonly lines?: string;
}

/** Lines of a batch at most; older ones are counted as missed. */
const LINES_MAX = 1_000;

/** A larger batch is more than a screen shows: nobody reads each event, and the next batch takes twice as long. */
const READABLE = 100;

/** Maximum delay of a retry: a person is waiting. Milliseconds. */
const RETRY_MAX_MS = 5_000;

/** First event of a stream. Lists read before it must be read again, because they miss the changes in between. */
export const STREAM_START: FeedEvent = { id: '', type: 'resync', data: { reason: 'the stream begins', of: 'all' } };

/** The same, after the stream before it has failed. */
const STREAM_RESTART: FeedEvent = { ...STREAM_START, data: { reason: 'the stream begins again', of: 'all' } };

/** Keeps the newest events of a batch, and counts the lines that it drops. */
function bounded(batch: readonly FeedEvent[]): FeedEvent[] {
  const dropped = batch.slice(0, -LINES_MAX);
  const count = dropped.reduce((sum, { type, data }) => sum + (type === 'line.missed' ? data.count : 1), 0);
  return [{ id: '', type: 'line.missed', data: { count, exact: true } }, ...batch.slice(-LINES_MAX)];
}

/** Creates the stream of a client without opening it. */
export function createFeed(client: Pick<Client, 'events'>, { now, fail, everyMs = 100, lines }: FeedOptions): Feed {
  const controller = new AbortController();
  const watchers = new Set<() => void>();
  const readers = new Set<(events: readonly FeedEvent[]) => void>();
  let connection: Connection = { status: 'connecting' };
  let batch: FeedEvent[] = [];
  let flushTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let flushedAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = everyMs;
  let begin: FeedEvent | null = STREAM_START;
  let failures = 0;

  const setConnection = (next: Connection): void => {
    if (controller.signal.aborted || (next.status === connection.status && next.status !== 'lost')) return;
    // Repeated failures do not change the time of the loss.
    if (next.status === 'lost' && connection.status === 'lost') return;
    connection = next;
    for (const watcher of watchers) watcher();
  };

  const flush = (): void => {
    flushTimer = undefined;
    flushedAtMs = now();
    const events = batch;
    batch = [];
    pauseMs = events.length > READABLE ? 2 * everyMs : everyMs;
    for (const reader of readers) reader(events);
  };

  const push = (event: FeedEvent): void => {
    batch.push(event);
    if (event.type === 'line' && batch.length > 2 * LINES_MAX) batch = bounded(batch);
    flushTimer ??= setTimeout(flush, Math.max(0, Math.min(pauseMs, pauseMs - (now() - flushedAtMs))));
  };

  const onStatus = (status: 'connecting' | 'open' | 'lost'): void => {
    if (status === 'connecting') return;
    if (status === 'lost') {
      setConnection({ status: 'lost', sinceMs: now() });
      return;
    }
    failures = 0;
    setConnection({ status: 'live' });
    if (begin !== null) push(begin);
    begin = null;
  };

  const read = async (): Promise<void> => {
    try {
      const options = { signal: controller.signal, retryMaxMs: RETRY_MAX_MS, onStatus };
      const selection = lines === undefined ? {} : { types: ['line'] as const, filter: { filter: lines } };
      for await (const event of client.events({ ...options, ...selection })) push(event);
      setConnection({ status: 'off' });
    } catch (error) {
      if (controller.signal.aborted) return;
      fail(error);
      const passing = failureOf(error).kind === 'unreachable';
      setConnection(passing ? { status: 'lost', sinceMs: now() } : { status: 'off' });
      if (!passing) return;
      // A new stream does not continue where the last one ended.
      begin = STREAM_RESTART;
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
