// Tests a subscription after the end of its connection, and the failures that end it.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { got, listen, open, stream, streamThenBreak, streamThenEnd, take, written } from '../test/event-streams.ts';
import { type Answer, hangUp, inTurn, ok, refuse, silence, startServer } from '../test/start-server.ts';
import { type EventStatus, isApiError, type QuarterdeckOptions } from './index.ts';

/** Subscribes to a server that gives these answers in turn. */
async function subscribe(
  answers: readonly Answer[],
  options: object = {},
  clientOptions: Partial<QuarterdeckOptions> = {},
) {
  const server = await startServer(inTurn(...answers));
  const listening = listen(server.url, options, clientOptions);
  return { ...listening, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const [first, second] = [streamThenEnd(written(1)), stream(written(2))];
const idsSent = ({ server }: Awaited<ReturnType<typeof subscribe>>) =>
  server.seen.map(({ headers }) => headers['last-event-id']);

describe('a lost connection', () => {
  it.each([
    ['breaks', streamThenBreak],
    ['ends', streamThenEnd],
  ])('that %s is reopened and continues after the last event', async (_, lost) => {
    const half = 'id: 3\nevent: errlog.new\ndata: {"id":3';
    await using of = await subscribe([lost(written(1) + written(2) + half), stream(written(3))]);
    expect(await take(3, of)).toEqual([got(1), got(2), got(3)]);
    expect(idsSent(of)).toEqual([undefined, '2']);
    expect(of.statuses.map(([status, { attempt, retryInMs }]) => [status, attempt, retryInMs])).toEqual([
      ['connecting', 1, undefined],
      ['open', 1, undefined],
      ['lost', 0, 750],
      ['connecting', 1, undefined],
      ['open', 1, undefined],
    ]);
  });

  it('has its reason in the status, unless the server just ended the stream', async () => {
    await using of = await subscribe([first, streamThenBreak(''), hangUp, second]);
    await take(2, of);
    const lost = of.statuses.filter(([status]) => status === 'lost').map(([, { error }]) => error?.name);
    expect(lost).toEqual([undefined, 'NetworkError', 'NetworkError']);
  });

  it('continues from the position of the caller, or one that the server sends without an event', async () => {
    await using of = await subscribe([streamThenEnd('id: 41\n\n'), stream(written(42))], { lastEventId: '7' });
    expect(await take(1, of)).toEqual([got(42)]);
    expect(idsSent(of)).toEqual(['7', '41']);
  });

  it('without any position causes a resync', async () => {
    await using of = await subscribe([hangUp, streamThenBreak(''), stream(written(1))]);
    expect(await take(2, of)).toEqual([
      { id: '', type: 'resync', data: { reason: 'the connection was lost before the first event', of: 'all' } },
      got(1),
    ]);
    expect(of.server.seen).toHaveLength(3);
  });

  it('is detected by its silence, while the consumer waits for an event', async () => {
    await using of = await subscribe([stream(written(1)), second]);
    await of.events.next();
    expect(of.clock.limits).toEqual([]);
    const next = of.events.next();
    await of.clock.running(45_000);
    of.clock.runOut(45_000);
    expect((await next).value).toEqual(got(2));
    const lost = of.statuses.find(([status]) => status === 'lost')?.[1];
    expect(lost).toMatchObject({ error: { name: 'TimeoutError', timeoutMs: 45_000 } });
    await of.events.return();
    expect(of.clock.limits).toEqual([]);
  });

  it('is retried after a time limit without a response', async () => {
    await using of = await subscribe([silence, stream(written(1))]);
    const taking = take(1, of);
    await of.server.requests(1);
    of.clock.runOut(10_000);
    expect(await taking).toEqual([got(1)]);
  });

  // Jitter of 0.5: three quarters of 1 s, doubling up to 30 s.
  it.each([
    [{}, [750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500, 22_500, 750]],
    [{ retryMaxMs: 3_000 }, [750, 1_500, 2_250, 2_250, 2_250, 2_250, 2_250, 2_250, 750]],
  ])('is retried with growing waits, which data resets, with %j', async (options, waits) => {
    await using of = await subscribe([...Array<Answer>(8).fill(refuse('internal')), first, second], options);
    await take(2, of);
    expect(of.clock.waits).toEqual(waits);
    expect(of.statuses.flatMap(([, { retryInMs }]) => retryInMs ?? [])).toEqual(waits);
  });

  it.each([
    ['retry: 4000', 3_000],
    ['retry: 1', 75],
    ['retry: 999999999', 22_500],
    ['retry: soon', 750],
  ])('waits as the server requests with "%s"', async (line, waitMs) => {
    await using of = await subscribe([streamThenEnd(`${line}\n${written(1)}`), second]);
    await take(2, of);
    expect(of.clock.waits).toEqual([waitMs]);
  });

  it.each([
    ['5', 5_000],
    ['3600', 60_000],
  ])('honors a Retry-After of %s s, up to a minute', async (seconds, waitMs) => {
    await using of = await subscribe([refuse('overloaded', { 'retry-after': seconds }), stream(written(1))]);
    await take(1, of);
    expect(of.clock.waits).toEqual([waitMs]);
  });

  it('looks the credential up again', async () => {
    const tokens = ['first', 'second'];
    await using of = await subscribe([first, second], {}, { apiToken: () => tokens.shift() });
    await take(2, of);
    expect(of.server.seen.map(({ headers }) => headers['api-token'])).toEqual(['first', 'second']);
  });

  it('ignores an id that no header can carry', async () => {
    const odd = 'id: 漢\nevent: errlog.new\ndata: {}\n\n';
    await using of = await subscribe([streamThenEnd(written(1) + odd), second]);
    expect((await take(3, of))[1]?.id).toBe('漢');
    expect(idsSent(of)).toEqual([undefined, '1']);
  });
});

describe('the event stream ends', () => {
  it.each(['credential_missing', 'session_expired', 'forbidden', 'validation_failed', 'unknown_path'] as const)(
    'with an ApiError for %s, at once',
    async (code) => {
      await using of = await subscribe([refuse(code)]);
      await expect(take(1, of)).rejects.toSatisfy((error) => isApiError(error) && error.code === code);
      expect(of.server.seen).toHaveLength(1);
    },
  );

  it('with an ApiError when the credential expires while it is read', async () => {
    await using of = await subscribe([first, refuse('session_expired')]);
    await expect(take(2, of)).rejects.toMatchObject({ code: 'session_expired' });
  });

  const forms: [string, Answer][] = [
    ['data of another endpoint', ok({})],
    [
      'a failure that calls itself a stream',
      (r) => void r.writeHead(404, { 'content-type': 'text/event-stream' }).end('data: {}\n\n'),
    ],
    ['a page', (r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi')],
    ['a redirect', (r) => void r.writeHead(302, { location: '/x' }).end()],
  ];
  it.each(nonEmpty(forms))('with an UnexpectedAnswerError for %s', async (_, answer) => {
    await using of = await subscribe([answer]);
    await expect(take(1, of)).rejects.toMatchObject({ name: 'UnexpectedAnswerError' });
    expect(of.server.seen).toHaveLength(1);
  });

  it('but not for the page of a proxy that cannot reach the server', async () => {
    const proxy: Answer = (r) => void r.writeHead(502, { 'content-type': 'text/html' }).end('<p>Bad');
    await using of = await subscribe([proxy, stream(written(1))]);
    expect(await take(1, of)).toEqual([got(1)]);
  });

  it('when the server answers 204', async () => {
    await using of = await subscribe([(response) => void response.writeHead(204).end()]);
    expect(await take(1, of)).toEqual([]);
  });

  it('before it begins when the signal is aborted already', async () => {
    await using of = await subscribe([stream()]);
    of.abort.abort();
    expect(await take(1, of)).toEqual([]);
    expect([of.server.seen, of.statuses]).toEqual([[], []]);
  });

  it('when it is aborted while it connects', async () => {
    await using of = await subscribe([silence]);
    const next = of.events.next();
    await of.server.requests(1);
    of.abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(of.clock.limits).toEqual([]);
  });

  it('when it is aborted while it waits for an event', async () => {
    await using of = await subscribe([stream(written(1))]);
    await of.events.next();
    const next = of.events.next();
    await of.clock.running(45_000);
    of.abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(of.statuses.map(([status]) => status)).toEqual(['connecting', 'open']);
    expect([of.clock.limits, of.clock.waits]).toEqual([[], []]);
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
    await using of = await subscribe([first, hangUp, second]);
    await take(2, of);
    expect(getEventListeners(of.abort.signal, 'abort')).toEqual([]);
  });

  it('when it is aborted between two events that came together', async () => {
    await using of = await subscribe([stream(written(1) + written(2))]);
    await of.events.next();
    of.abort.abort();
    expect(await of.events.next()).toEqual({ done: true, value: undefined });
  });

  it('when it is aborted while it waits to connect again', async () => {
    const abort = new AbortController();
    const onStatus = (status: EventStatus) => status === 'lost' && abort.abort();
    await using of = await subscribe([refuse('overloaded')], { signal: abort.signal, onStatus });
    expect(await take(1, of)).toEqual([]);
    expect(of.server.seen).toHaveLength(1);
  });

  it.each([
    ['after an event', written(1), []],
    ['at a resync of its own', '', [streamThenEnd('')]],
  ])('and hangs up when the reader leaves %s', async (_, text, before) => {
    const closed = Promise.withResolvers<void>();
    const last: Answer = (response) => {
      response.on('close', closed.resolve);
      open(response, text);
    };
    await using of = await subscribe([...before, last]);
    await take(1, of);
    await expect(closed.promise).resolves.toBeUndefined();
  });

  it('and refuses a position that no header can carry', async () => {
    await using of = await subscribe([stream()], { lastEventId: '1\n2' });
    await expect(take(1, of)).rejects.toThrow(TypeError);
    expect(of.server.seen).toEqual([]);
  });
});
