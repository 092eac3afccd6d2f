// Tests a subscription after the end of its connection, and the failures that end it.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { got, listen, open, stream, streamThenBreak, streamThenEnd, take, written } from '../test/event-streams.ts';
import { type Answer, hangUp, inTurn, ok, refuse, silence, startServer } from '../test/start-server.ts';
import { type EventStatus, isApiError } from './index.ts';

describe('a lost connection', () => {
  it.each([
    ['breaks', streamThenBreak],
    ['ends', streamThenEnd],
  ])('that %s is reopened and continues after the last event', async (_, first) => {
    const half = 'id: 3\nevent: errlog.new\ndata: {"id":3';
    await using server = await startServer(inTurn(first(written(1) + written(2) + half), stream(written(3))));
    const listening = listen(server.url);
    expect(await take(3, listening)).toEqual([got(1), got(2), got(3)]);
    expect(server.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2']);
    expect(listening.statuses.map(([status, { attempt, retryInMs }]) => [status, attempt, retryInMs])).toEqual([
      ['connecting', 1, undefined],
      ['open', 1, undefined],
      ['lost', 0, 750],
      ['connecting', 1, undefined],
      ['open', 1, undefined],
    ]);
  });

  it('has its reason in the status, unless the server just ended the stream', async () => {
    await using server = await startServer(
      inTurn(streamThenEnd(written(1)), streamThenBreak(''), hangUp, stream(written(2))),
    );
    const listening = listen(server.url);
    await take(2, listening);
    const lost = listening.statuses.filter(([status]) => status === 'lost').map(([, { error }]) => error?.name);
    expect(lost).toEqual([undefined, 'NetworkError', 'NetworkError']);
  });

  it('is retried within the longest wait of the caller', async () => {
    const failures = Array.from({ length: 6 }, () => hangUp);
    await using server = await startServer(inTurn(streamThenEnd(written(1)), ...failures, stream(written(2))));
    const listening = listen(server.url, { retryMaxMs: 3_000 });
    await take(2, listening);
    const waits = listening.statuses.flatMap(([, { retryInMs }]) => retryInMs ?? []);
    expect(waits).toEqual([750, 750, 1_500, 2_250, 2_250, 2_250, 2_250]);
  });

  it('continues from the position of the caller, or one that the server sends without an event', async () => {
    await using server = await startServer(inTurn(streamThenEnd('id: 41\n\n'), stream(written(42))));
    expect(await take(1, listen(server.url, { lastEventId: '7' }))).toEqual([got(42)]);
    expect(server.seen.map(({ headers }) => headers['last-event-id'])).toEqual(['7', '41']);
  });

  it('without any position causes a resync', async () => {
    await using server = await startServer(inTurn(hangUp, streamThenBreak(''), stream(written(1))));
    const taken = await take(2, listen(server.url));
    expect(taken).toEqual([
      { id: '', type: 'resync', data: { reason: 'the connection was lost before the first event', of: 'all' } },
      got(1),
    ]);
    expect(server.seen).toHaveLength(3);
  });

  it('is detected by its silence', async () => {
    await using server = await startServer(inTurn(stream(written(1)), stream(written(2))));
    const { events, statuses, clock } = listen(server.url);
    await events.next();
    const next = events.next();
    await clock.running(45_000);
    clock.runOut(45_000);
    expect((await next).value).toEqual(got(2));
    const lost = statuses.find(([status]) => status === 'lost')?.[1];
    expect(lost).toMatchObject({ error: { name: 'TimeoutError', timeoutMs: 45_000 } });
    await events.return();
    expect(clock.limits).toEqual([]);
  });

  it('is not suspected while the consumer is busy', async () => {
    await using server = await startServer(stream(written(1)));
    const { events, clock } = listen(server.url);
    await events.next();
    expect(clock.limits).toEqual([]);
    await events.return();
  });

  it('is retried after a time limit without a response', async () => {
    await using server = await startServer(inTurn(silence, stream(written(1))));
    const listening = listen(server.url);
    const taking = take(1, listening);
    await server.requests(1);
    listening.clock.runOut(10_000);
    expect(await taking).toEqual([got(1)]);
  });

  it('is retried with growing waits, which data resets', async () => {
    const failures: Answer[] = Array(8).fill(refuse('internal'));
    await using server = await startServer(inTurn(...failures, streamThenEnd(written(1)), stream(written(2))));
    const { events, clock } = listen(server.url);
    await take(2, { events });
    // Jitter of 0.5: three quarters of 1 s, doubling up to 30 s.
    expect(clock.waits).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500, 22_500, 750]);
  });

  it.each([
    ['retry: 4000', 3_000],
    ['retry: 1', 75],
    ['retry: 999999999', 22_500],
    ['retry: soon', 750],
  ])('waits as the server requests with "%s"', async (line, waitMs) => {
    await using server = await startServer(inTurn(streamThenEnd(`${line}\n${written(1)}`), stream(written(2))));
    const { events, clock } = listen(server.url);
    await take(2, { events });
    expect(clock.waits).toEqual([waitMs]);
  });

  it.each([
    ['5', 5_000],
    ['3600', 60_000],
  ])('honors a Retry-After of %s s, up to a minute', async (seconds, waitMs) => {
    await using server = await startServer(
      inTurn(refuse('overloaded', { 'retry-after': seconds }), stream(written(1))),
    );
    const { events, clock } = listen(server.url);
    await take(1, { events });
    expect(clock.waits).toEqual([waitMs]);
  });

  it('looks the credential up again', async () => {
    await using server = await startServer(inTurn(streamThenEnd(written(1)), stream(written(2))));
    const tokens = ['first', 'second'];
    await take(2, listen(server.url, {}, { apiToken: () => tokens.shift() }));
    expect(server.seen.map(({ headers }) => headers['api-token'])).toEqual(['first', 'second']);
  });

  it('ignores an id that no header can carry', async () => {
    const odd = 'id: 漢\nevent: errlog.new\ndata: {}\n\n';
    await using server = await startServer(inTurn(streamThenEnd(written(1) + odd), stream(written(2))));
    const [, second] = await take(3, listen(server.url));
    expect(second?.id).toBe('漢');
    expect(server.seen[1]?.headers['last-event-id']).toBe('1');
  });
});

describe('the event stream ends', () => {
  it.each(['credential_missing', 'session_expired', 'forbidden', 'validation_failed', 'unknown_path'] as const)(
    'with an ApiError for %s, at once',
    async (code) => {
      await using server = await startServer(refuse(code));
      await expect(take(1, listen(server.url))).rejects.toSatisfy((error) => isApiError(error) && error.code === code);
      expect(server.seen).toHaveLength(1);
    },
  );

  it('with an ApiError when the credential expires while it is read', async () => {
    await using server = await startServer(inTurn(streamThenEnd(written(1)), refuse('session_expired')));
    await expect(take(2, listen(server.url))).rejects.toMatchObject({ code: 'session_expired' });
  });

  it.each([
    ['data of another endpoint', ok({})],
    [
      'a failure that calls itself a stream',
      ((r) => {
        r.writeHead(404, { 'content-type': 'text/event-stream' }).end('data: {}\n\n');
      }) as Answer,
    ],
    ['a page', ((r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi')) as Answer],
    ['a redirect', ((r) => void r.writeHead(302, { location: '/x' }).end()) as Answer],
  ])('with an UnexpectedAnswerError for %s', async (_, answer) => {
    await using server = await startServer(answer);
    await expect(take(1, listen(server.url))).rejects.toMatchObject({ name: 'UnexpectedAnswerError' });
    expect(server.seen).toHaveLength(1);
  });

  it('but not for the page of a proxy that cannot reach the server', async () => {
    const proxy: Answer = (r) => void r.writeHead(502, { 'content-type': 'text/html' }).end('<p>Bad');
    await using server = await startServer(inTurn(proxy, stream(written(1))));
    expect(await take(1, listen(server.url))).toEqual([got(1)]);
  });

  it('when the server answers 204', async () => {
    await using server = await startServer((response) => void response.writeHead(204).end());
    expect(await take(1, listen(server.url))).toEqual([]);
  });

  it('before it begins when the signal is aborted already', async () => {
    await using server = await startServer(stream());
    const { events, abort, statuses } = listen(server.url);
    abort.abort();
    expect(await take(1, { events })).toEqual([]);
    expect([server.seen, statuses]).toEqual([[], []]);
  });

  it('when it is aborted while it connects', async () => {
    await using server = await startServer(silence);
    const { events, abort, clock } = listen(server.url);
    const next = events.next();
    await server.requests(1);
    abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(clock.limits).toEqual([]);
  });

  it('when it is aborted while it waits for an event', async () => {
    await using server = await startServer(stream(written(1)));
    const { events, abort, clock, statuses } = listen(server.url);
    await events.next();
    const next = events.next();
    await clock.running(45_000);
    abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(statuses.map(([status]) => status)).toEqual(['connecting', 'open']);
    expect([clock.limits, clock.waits]).toEqual([[], []]);
  });

  it('when it is aborted in the moment it opens', async () => {
    const abort = new AbortController();
    const fetch = async () => {
      abort.abort();
      return new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } });
    };
    const { events, clock } = listen('http://host', { signal: abort.signal }, { fetch });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(clock.limits).toEqual([]);
  });

  it('and leaves nothing behind on the signal', async () => {
    await using server = await startServer(inTurn(streamThenEnd(written(1)), hangUp, stream(written(2))));
    const { events, abort } = listen(server.url);
    await take(2, { events });
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  it('when it is aborted between two events that came together', async () => {
    await using server = await startServer(stream(written(1) + written(2)));
    const { events, abort } = listen(server.url);
    await events.next();
    abort.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('when it is aborted while it waits to connect again', async () => {
    await using server = await startServer(refuse('overloaded'));
    const abort = new AbortController();
    const onStatus = (status: EventStatus) => status === 'lost' && abort.abort();
    expect(await take(1, listen(server.url, { signal: abort.signal, onStatus }))).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['after an event', written(1), 1],
    ['at a resync of its own', '', 0],
  ])('and hangs up when the reader leaves %s', async (_, text, takenBefore) => {
    const closed = Promise.withResolvers<void>();
    const last: Answer = (response) => {
      response.on('close', closed.resolve);
      open(response, text);
    };
    await using server = await startServer(takenBefore === 1 ? last : inTurn(streamThenEnd(''), last));
    await take(1, listen(server.url));
    await closed.promise;
  });

  it('and refuses a position that no header can carry', async () => {
    await using server = await startServer(stream());
    await expect(take(1, listen(server.url, { lastEventId: '1\n2' }))).rejects.toThrow(TypeError);
    expect(server.seen).toEqual([]);
  });
});
