import type { Client } from '@quarterdeck/sdk';
import { ApiError, NetworkError } from '@quarterdeck/sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFeed, type FeedEvent, STREAM_START } from './feed.ts';

/** Starts a feed under a clock that the test moves, with the stream's writer and the batches that arrived. */
function startOnFakeClock() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { readable, writable } = new TransformStream<FeedEvent, FeedEvent>();
  const feed = createFeed({ events: () => readable.values() as never }, { now: Date.now, fail: () => undefined });
  const batches: (readonly FeedEvent[])[] = [];
  feed.onEvents((events) => batches.push(events));
  feed.start();
  return { feed, writer: writable.getWriter(), batches };
}

describe('the feed', () => {
  it('reads lines of a filter, and bounds a batch of them', async () => {
    const asked = vi.fn(async function* (_options: object) {
      for (let n = 1; n <= 5_000; n += 1) yield { id: String(n), type: 'line', data: { id: String(n) } } as FeedEvent;
    });
    const options = { now: Date.now, fail: () => undefined, lines: 'host:web-1' };
    const feed = createFeed({ events: asked as unknown as Client['events'] }, options);
    const read = Promise.withResolvers<readonly FeedEvent[]>();
    feed.onEvents(read.resolve);
    feed.start();
    const batch = await read.promise;
    feed.stop();
    expect(asked).toHaveBeenCalledWith(expect.objectContaining({ types: ['line'], filter: { filter: 'host:web-1' } }));
    const missed = batch.reduce((sum, { type, data }) => sum + (type === 'line.missed' ? data.count : 0), 0);
    const lines = batch.filter(({ type }) => type === 'line');
    expect(lines.length).toBeLessThanOrEqual(2_000);
    expect(lines.length + missed).toBe(5_000);
    expect(lines.at(-1)?.id).toBe('5000');
  });

  it('limits the delay of retries to seconds', async () => {
    const asked = vi.fn<Client['events']>(() => (async function* () {})());
    const feed = createFeed({ events: asked as Client['events'] }, { now: Date.now, fail: () => undefined });
    feed.start();
    expect(asked).toHaveBeenCalledWith(expect.objectContaining({ retryMaxMs: 5_000 }));
    feed.stop();
  });

  it('delivers at most ten batches a second, and none after stop', async () => {
    const { feed, writer, batches } = startOnFakeClock();
    const tell = async (waitMs: number): Promise<void> => {
      void writer.write(STREAM_START);
      await vi.advanceTimersByTimeAsync(waitMs);
    };
    for (let sent = 0; sent < 50; sent += 1) await tell(10);
    expect(batches.length).toBeLessThanOrEqual(6);
    await tell(200);
    await tell(1);
    expect(batches.flat()).toHaveLength(52);
    await tell(1);
    feed.stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(batches.flat()).toHaveLength(52);
  });

  it('delivers half as often when there is more than anybody reads', async () => {
    const { feed, writer, batches } = startOnFakeClock();
    for (let sent = 0; sent < 200; sent += 1) void writer.write(STREAM_START);
    await vi.advanceTimersByTimeAsync(100);
    expect(batches).toHaveLength(1);
    void writer.write(STREAM_START);
    await vi.advanceTimersByTimeAsync(50);
    expect(batches).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(batches.map(({ length }) => length)).toEqual([200, 1]);
    feed.stop();
  });

  it('keeps the time of the loss across retries', async () => {
    let nowMs = 1_000;
    const tell = Promise.withResolvers<NonNullable<Parameters<Client['events']>[0]>>();
    const client: Pick<Client, 'events'> = {
      async *events(options = {}) {
        tell.resolve(options);
        yield* [];
        await new Promise(() => undefined);
      },
    };
    const feed = createFeed(client, { now: () => nowMs, fail: () => undefined });
    feed.start();
    const { onStatus } = await tell.promise;
    onStatus?.('open', { attempt: 1 });
    onStatus?.('lost', { attempt: 1 });
    nowMs = 5_000;
    onStatus?.('connecting', { attempt: 2 });
    onStatus?.('lost', { attempt: 2 });
    expect(feed.connection()).toEqual({ status: 'lost', sinceMs: 1_000 });
    feed.stop();
  });

  it('sends a resync event after opening a new stream', async () => {
    let opened = 0;
    const client: Pick<Client, 'events'> = {
      async *events({ onStatus } = {}) {
        opened += 1;
        onStatus?.('open', { attempt: 1 });
        if (opened === 1) throw new NetworkError({ text: 'gone' }, { method: 'GET', url: 'http://x' });
        yield* [];
      },
    };
    const events: FeedEvent[] = [];
    const feed = createFeed(client, { now: Date.now, fail: () => undefined });
    feed.onEvents((batch) => events.push(...batch));
    feed.start();
    await expect
      .poll(() => events)
      .toEqual([STREAM_START, { id: '', type: 'resync', data: { reason: 'the stream begins again', of: 'all' } }]);
    expect(opened).toBe(2);
    feed.stop();
  });

  it('reports a refused credential, and is off without a stream', async () => {
    const refusal = new ApiError({ status: 403, code: 'forbidden', message: 'no' }, { method: 'GET', url: 'http://x' });
    const failures: unknown[] = [];
    const client: Pick<Client, 'events'> = {
      // biome-ignore lint/correctness/useYield: it fails before there is anything to yield
      async *events() {
        throw refusal;
      },
    };
    const feed = createFeed(client, { now: Date.now, fail: (error) => failures.push(error) });
    feed.start();
    await expect.poll(() => feed.connection()).toEqual({ status: 'off' });
    expect(failures).toEqual([refusal]);
    feed.stop();
  });
});
