import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { answering, dataOf, refusalOf, untilAborted } from '../../test/answering.ts';
import { failureOf } from '../../test/failure-of.ts';
import { steppedClock } from '../../test/stepped-clock.ts';
import { type CallOptions, createClient, type RequestInfo } from '../index.ts';

const url = 'http://host';
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** Resolves after every step that needs no time and no network. */
const promisesSettled = () => new Promise((resolve) => setImmediate(resolve));

describe('headers of a call', () => {
  it('are sent with those of the client, under names in lower case', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    const client = createClient({ url, fetch, apiToken: 'qd_t_headers' });
    const headers = { 'If-Match': '"7"', Accept: 'application/problem+json' };
    await client.apiToken.update({ params: { id: 7 }, body: { name: 'x' } }, { headers, traceparent: TRACE });
    expect(sent[0]?.headers).toEqual({
      accept: 'application/problem+json',
      'content-type': 'application/json',
      'if-match': '"7"',
      traceparent: TRACE,
      'API-Token': 'qd_t_headers',
    });
  });

  it('override the user agent of the client', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    const client = createClient({ url, fetch, userAgent: 'fleet/1.0' });
    await client.user.me({}, { headers: { 'User-Agent': 'report/2.0' } });
    expect(sent[0]?.headers).toMatchObject({ 'user-agent': 'report/2.0' });
  });

  it('are sent by exports too', async () => {
    const { fetch, sent } = answering(() => new Response('', { headers: { 'content-type': 'application/x-ndjson' } }));
    const rows = createClient({ url, fetch }).exportErrlog({ headers: { 'x-a': 'b' }, traceparent: TRACE });
    expect((await rows.next()).done).toBe(true);
    expect(sent[0]?.headers).toMatchObject({ 'x-a': 'b', traceparent: TRACE });
  });

  it('are sent by the event stream too', async () => {
    const { fetch, sent } = answering(() => new Response(null, { status: 204 }));
    const events = createClient({ url, fetch }).events({ headers: { 'X-A': 'b' }, traceparent: TRACE });
    expect((await events.next()).done).toBe(true);
    expect(sent[0]?.headers).toEqual({ accept: 'text/event-stream', 'x-a': 'b', traceparent: TRACE });
  });

  const noHeader = 'has a character that an HTTP header cannot carry (a line break at its end?)';
  const wrong: [string, CallOptions, string][] = [
    ['a credential', { headers: { 'Api-Token': 'qd_t_x' } }, 'headers.Api-Token: use apiToken or sessionToken'],
    ['a session', { headers: { 'edge-token': 'qd_s_x' } }, 'headers.edge-token: use apiToken or sessionToken'],
    ['the key of a link', { headers: { 'Quarterdeck-Link': 'x' } }, 'headers.Quarterdeck-Link: use linkKey'],
    [
      'the session of a browser',
      { headers: { 'Quarterdeck-Session': 'x' } },
      'headers.Quarterdeck-Session: use session',
    ],
    ['a name that is none', { headers: { 'a b': 'c' } }, 'headers has a name that is no HTTP header'],
    ['a value of two lines', { headers: { a: 'b\nc' } }, `headers.a ${noHeader}`],
    ['a key of two lines', { idempotencyKey: 'b\nc' }, `idempotencyKey ${noHeader}`],
    ['a trace of two lines', { traceparent: 'b\nc' }, `traceparent ${noHeader}`],
    ['no time at all', { deadlineMs: 0 }, 'deadlineMs must be more than 0 milliseconds'],
  ];
  it.each(nonEmpty(wrong))('may not be %s', async (_, options, message) => {
    const { fetch, sent } = answering(() => dataOf({}));
    expect(await failureOf(createClient({ url, fetch }).user.me({}, options))).toEqual(new TypeError(message));
    expect(sent).toEqual([]);
  });
});

describe('idempotencyKey', () => {
  const change = { body: { kind: 'deploy', name: 'web 7' } };

  it('is the same header in each attempt, and lets a POST be repeated', async () => {
    const { fetch, sent } = answering((_, number) => (number === 1 ? refusalOf('overloaded') : dataOf({})));
    const client = createClient({ url, fetch, clock: steppedClock() });
    // The wait for the server's Retry-After takes no time here.
    await client.change.create(change, { idempotencyKey: 'k1' });
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['k1', 'k1']);
  });

  it('leaves the decision to idempotent', async () => {
    const { fetch, sent } = answering(() => refusalOf('overloaded'));
    const client = createClient({ url, fetch, clock: steppedClock() });
    await failureOf(client.change.create(change, { idempotencyKey: 'k1', idempotent: false }));
    expect(sent).toHaveLength(1);
  });
});

describe('deadlineMs', () => {
  it('ends a call that gets no answer, and reports the attempt', async () => {
    const { fetch } = answering(untilAborted);
    const clock = steppedClock();
    const infos: RequestInfo[] = [];
    const client = createClient({ url, fetch, clock, deadlineMs: 3_000, onRequest: (info) => infos.push(info) });
    const call = failureOf(client.user.me());
    clock.advance(2_999);
    expect(infos).toEqual([]);
    clock.advance(1);
    expect(await call).toMatchObject({
      name: 'TimeoutError',
      timeoutMs: 3_000,
      message: 'No answer from http://host/admin-api/user/me within 3000 ms',
    });
    expect(infos).toMatchObject([{ attempt: 1, durationMs: 3_000, error: { name: 'TimeoutError' } }]);
    expect(clock.pending).toBe(0);
  });

  it('counts all attempts together', async () => {
    const second = Promise.withResolvers<void>();
    const clock = steppedClock();
    const { fetch } = answering((request, number) => {
      if (number === 2) second.resolve();
      return untilAborted(request);
    });
    const options = { timeoutMs: 2_000, deadlineMs: 3_000 };
    const call = failureOf(createClient({ url, fetch, clock }).user.me({}, options));
    clock.advance(2_000);
    await second.promise;
    clock.advance(1_000);
    expect(await call).toMatchObject({ name: 'TimeoutError', timeoutMs: 3_000 });
  });

  it.each([
    [10_001, 2],
    [10_000, 1],
  ])('of %i ms allows %i attempts that are 10 s apart', async (deadlineMs, attempts) => {
    const clock = steppedClock();
    const { fetch, sent } = answering(() => refusalOf('overloaded', { 'retry-after': '10' }));
    const call = failureOf(createClient({ url, fetch, clock, retries: 1 }).user.me({}, { deadlineMs }));
    await promisesSettled();
    clock.advance(10_000);
    // A wait beyond the deadline is not begun: the refusal says more than that the time is up.
    expect(await call).toMatchObject({ name: 'ApiError', code: 'overloaded' });
    expect(sent).toHaveLength(attempts);
    expect(clock.pending).toBe(0);
  });

  it('ends the wait for a new credential', async () => {
    const { fetch } = answering(() => refusalOf('session_expired'));
    const clock = steppedClock();
    const onUnauthorized = () => new Promise<string>(() => undefined);
    const call = failureOf(createClient({ url, fetch, clock, onUnauthorized }).user.me({}, { deadlineMs: 60_000 }));
    await promisesSettled();
    clock.advance(60_000);
    expect(await call).toMatchObject({ name: 'TimeoutError', timeoutMs: 60_000 });
  });

  it('leaves the reason of a signal untouched', async () => {
    const { fetch } = answering(untilAborted);
    const controller = new AbortController();
    const { signal } = controller;
    const call = failureOf(createClient({ url, fetch }).user.me({}, { deadlineMs: 60_000, signal }));
    const reason = { why: 'closed' };
    controller.abort(reason);
    expect(await call).toBe(reason);
  });
});

describe('withResponse', () => {
  it('resolves with data, status, headers and request id', async () => {
    const { fetch, sent } = answering(() => dataOf({ id: 1 }, { etag: '"3"', 'x-request-id': 'r9' }));
    const call = createClient({ url, fetch }).apiToken.get({ params: { id: 1 } });
    const { headers, ...rest } = await call.withResponse();
    expect(rest).toEqual({ data: { id: 1 }, status: 200, requestId: 'r9' });
    expect(headers.get('etag')).toBe('"3"');
    expect(await call).toEqual({ id: 1 });
    expect(sent).toHaveLength(1);
  });

  it('has the page of a list, and no request id where the answer has none', async () => {
    const { fetch } = answering(() => dataOf([{ id: 1 }], { 'x-total-count': '12' }));
    const { data, requestId } = await createClient({ url, fetch }).agent.list.page().withResponse();
    expect(data).toEqual({ data: [{ id: 1 }], meta: { count: 12 } });
    expect(requestId).toBeUndefined();
  });

  it('rejects like the call, once', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    try {
      const { fetch } = answering(() => refusalOf('not_found'));
      const response = createClient({ url, fetch }).user.me().withResponse();
      expect(await failureOf(response)).toMatchObject({ name: 'ApiError', code: 'not_found' });
      await promisesSettled();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', onUnhandled);
    }
  });
});
