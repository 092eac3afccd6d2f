import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { answering, refusalOf } from '../../test/answering.ts';
import { failureOf } from '../../test/failure-of.ts';
import { hangUp, inTurn, ok, refuse, send, silence, startServer, text } from '../../test/start-server.ts';
import { testClock } from '../../test/test-clock.ts';
import { contract } from '../contract.ts';
import { createClient, isApiError, type RequestInfo } from '../index.ts';
import { checkData } from './answer.ts';

const TOKEN = 'qd_t_hush-hush-token';
const PASSWORD = 'hush-hush-password';

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const page = (status: number, type: string, text: string, headers: Record<string, string> = {}) =>
  new Response(text, { status, headers: { 'content-type': type, ...headers } });

/** The failure of a call with this answer. */
const failureFrom = (response: Response) =>
  failureOf(
    createClient({ url: 'http://host', apiToken: 'token', retries: 0, ...answering(() => response) }).user.me(),
  );

describe('a refusal', () => {
  it('becomes an ApiError with all fields of the answer', async () => {
    const fields = [{ path: 'body.expire', message: 'is past' }];
    await using server = await startServer(
      refuse('validation_failed', {}, { message: 'The expiry is past.', detail: 'By a day.', fields }),
    );
    const failure = await failureOf(createClient({ url: server.url }).apiToken.create({ body: { expire: 1 } }));
    expect(failure).toMatchObject({
      name: 'ApiError',
      method: 'POST',
      url: `${server.url}/admin-api/api_token`,
      status: 400,
      code: 'validation_failed',
      message: 'The expiry is past.',
      detail: 'By a day.',
      fields,
      requestId: 'req-1',
      retryAfterMs: undefined,
    });
  });

  it('says that the server may be older where it does not know a field', async () => {
    const fields = [{ path: 'query.wait', message: 'is an unknown parameter' }];
    const body = {
      status: 400,
      msg: 'query.wait: is an unknown parameter.',
      time: 1,
      err: { code: 'unknown_field', fields },
    };
    expect(await failureFrom(json(400, body))).toMatchObject({
      code: 'unknown_field',
      message:
        'query.wait: is an unknown parameter. If the name is right, the server is older than this client: upgrade it, ' +
        'or leave the field out.',
      fields,
    });
  });

  const expired = { code: 'session_expired', request_id: 'r' };
  const notFound = '{"type":"about:blank","title":"Not Found","status":404,"msg":"no","err":{"code":"not_found"}}';
  const changed = { code: 'precondition_failed', current: { id: 7, labels: { a: '1' } } };
  const [date, later] = ['Sat, 31 Jan 2026 09:00:00 GMT', 'Sat, 31 Jan 2026 09:01:00 GMT'];
  const noReason = 'The server refused with status 400 and gave no reason.';
  const odd = { code: [], detail: {}, fields: [null, 'x', { path: 1 }] };
  const forms: [string, Response, object][] = [
    [
      'HTTP 200 with a status of its own',
      json(200, { status: 401, msg: 'no', time: 1, err: expired }),
      { status: 401, code: 'session_expired', message: 'no', requestId: 'r' },
    ],
    ['HTTP 200 with the status 399', json(200, { status: 399, msg: 'no' }), { status: 200, code: 'unknown' }],
    ['HTTP 200 with the status 599', json(200, { status: 599, msg: 'no' }), { status: 599 }],
    ['HTTP 200 with the status 600', json(200, { status: 600, msg: 'no' }), { status: 200 }],
    ['HTTP 409 with another status', json(409, { status: 400, msg: 'no' }), { status: 409 }],
    ['a problem document', page(404, 'application/problem+json', notFound), { status: 404, code: 'not_found' }],
    ['a refusal with empty words', json(400, { status: 400, msg: '' }), { message: noReason }],
    ['a refusal without words', json(400, { status: 400 }), { status: 400, code: 'unknown', message: noReason }],
    [
      'a refusal of the wrong shape',
      json(400, { status: 400, msg: 7, err: odd }),
      { code: 'unknown', detail: undefined, fields: [{ path: '', message: '' }] },
    ],
    ['fields that are no list', json(400, { status: 400, msg: 'no', err: { fields: 'all' } }), { fields: [] }],
    ['a code of a newer server', json(418, { status: 418, msg: 'no', err: { code: 'teapot' } }), { code: 'teapot' }],
    [
      'a code that contains the credential',
      json(401, { status: 401, msg: 'The token has expired.', err: { code: 'token_expired' } }),
      { code: 'token_expired', message: 'The token has expired.' },
    ],
    [
      'a code that is a secret',
      json(401, { status: 401, msg: 'no', err: { code: `qd_t_${'a'.repeat(49)}` } }),
      { code: 'unknown' },
    ],
    ['a code that is no word', json(400, { status: 400, msg: 'no', err: { code: 'No!' } }), { code: 'unknown' }],
    ['a failed precondition', json(412, { status: 412, msg: 'changed', err: changed }), { status: 412, ...changed }],
    [
      'a request id in the header alone',
      json(403, { status: 403, msg: 'no' }, { 'x-request-id': 'h1' }),
      { requestId: 'h1' },
    ],
    [
      'Retry-After in seconds',
      refusalOf('too_many_requests', { 'retry-after': '61' }),
      { status: 429, retryAfterMs: 61_000 },
    ],
    [
      "Retry-After as a date, seen from the server's clock",
      refusalOf('too_many_requests', { date, 'retry-after': later }),
      { retryAfterMs: 60_000 },
    ],
  ];
  it.each(nonEmpty(forms))('is read from %s', async (_, response, expected) => {
    const failure = await failureFrom(response);
    expect(isApiError(failure)).toBe(true);
    expect(failure).toMatchObject(expected);
  });
});

describe('an answer that is not from this API', () => {
  const badGateway = '<html><body><h1>502 Bad Gateway</h1></body></html>';
  const elsewhere = { location: 'https://elsewhere.example/login?next=1' };
  const saying = (reason: string) => ({ message: expect.stringContaining(`: ${reason} (HTTP `) });
  const forms: [string, Response, object][] = [
    [
      'a page of a proxy',
      page(502, 'text/html; charset=utf-8', badGateway),
      { status: 502, contentType: 'text/html; charset=utf-8', text: '502 Bad Gateway' },
    ],
    ['a page with 200', page(200, 'text/html', '<p>Welcome'), { status: 200, text: 'Welcome' }],
    ['JSON without a status', json(200, { hello: 'world' }), { text: '{"hello":"world"}' }],
    ['a status that is no whole number', json(200, { status: 0.5 }), { status: 200, ...saying('not an envelope') }],
    ['an array', json(200, []), { text: '[]' }],
    ['nothing', new Response(null, { status: 204 }), { status: 204, contentType: undefined, text: '' }],
    ['half of an envelope', page(200, 'application/json', '{"status":0,"da'), { status: 200 }],
    [
      'a success with the status of a failure',
      json(500, { status: 0, data: {} }),
      { status: 500, ...saying('a success in the envelope of a failure') },
    ],
    ['a success without the data', json(200, { status: 0 }), { status: 200 }],
    [
      'a proxy that asks for patience',
      page(503, 'text/plain', 'later', { 'retry-after': '45' }),
      { status: 503, retryAfterMs: 45_000 },
    ],
    [
      'a redirect',
      page(302, 'text/html', '', elsewhere),
      { status: 302, ...saying('a redirect to https://elsewhere.example/login') },
    ],
    [
      'a redirect within the host',
      page(399, 'text/html', '', { location: '/x' }),
      saying('a redirect to http://host/x'),
    ],
    ['a redirect to nowhere', page(300, 'text/html', ''), { status: 300, ...saying('a redirect') }],
    ['a long text', page(200, 'text/plain', 'x'.repeat(5_000)), { text: `${'x'.repeat(199)}…` }],
  ];
  it.each(nonEmpty(forms))('is unexpected: %s', async (_, response, expected) => {
    expect(await failureFrom(response)).toMatchObject({ name: 'UnexpectedAnswerError', ...expected });
  });

  it('is not quoted when the request had a body', async () => {
    await using server = await startServer((response, { body }) => send(response, 200, { youSaid: body }));
    const client = createClient({ url: server.url });
    const failure = await failureOf(client.user.login({ body: { username: 'ada', password: PASSWORD } }));
    expect(failure).toMatchObject({ name: 'UnexpectedAnswerError', text: '' });
  });

  it('never gets the credential from a redirect', async () => {
    await using elsewhere = await startServer(ok({}));
    await using server = await startServer(
      text(307, 'text/plain', '', { location: `${elsewhere.url}/admin-api/user/me` }),
    );
    await failureOf(createClient({ url: server.url, apiToken: TOKEN }).user.me());
    expect(elsewhere.seen).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  it('is discarded when it is a redirect', async () => {
    const letGo = Promise.withResolvers<void>();
    const body = new ReadableStream({ cancel: () => letGo.resolve() });
    const client = createClient({ url: 'http://host', fetch: async () => new Response(body, { status: 302 }) });
    expect(await failureOf(client.user.me())).toMatchObject({ name: 'UnexpectedAnswerError', status: 302 });
    await letGo.promise;
  });

  it('has no status where a browser hides a redirect', async () => {
    // Only a browser can produce such a response.
    const opaque = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
    const infos: RequestInfo[] = [];
    const onRequest = (info: RequestInfo) => infos.push(info);
    const client = createClient({ url: 'http://host', fetch: async () => opaque, onRequest });
    expect(await failureOf(client.user.me())).toMatchObject({
      message: 'Unexpected answer from http://host/admin-api/user/me: a redirect (HTTP 0, no content type)',
    });
    expect(infos).toHaveLength(1);
    expect(infos[0]).not.toHaveProperty('status');
  });

  it('is reported by its address without the query', async () => {
    await using server = await startServer(refuse('not_found'));
    const call = createClient({ url: server.url }).apiToken.get({ params: { id: 1 }, query: { detail: 1 } });
    expect(await failureOf(call)).toMatchObject({ url: `${server.url}/admin-api/api_token/1` });
    expect(server.seen[0]?.url).toBe('/admin-api/api_token/1?detail=1');
  });
});

describe('checkAnswers', () => {
  it('names the first three violations', () => {
    const text = checkData({}, contract['user']?.['me']?.data as Parameters<typeof checkData>[1]) ?? '';
    expect(text).toMatch(/^the data does not fit the contract: data\.\w+: [^;]+; data\.\w+: [^;]+; data\.\w+: [^;]+$/);
  });

  it('compares the data with the contract, and is off by default', async () => {
    await using server = await startServer(ok({ version: 'one', product_type: 'x' }));
    expect(await createClient({ url: server.url }).system.version()).toEqual({ version: 'one', product_type: 'x' });
    const failure = await failureOf(createClient({ url: server.url, contract, checkAnswers: true }).system.version());
    expect(failure).toMatchObject({
      name: 'UnexpectedAnswerError',
      message: expect.stringContaining('the data does not fit the contract: data.version: '),
    });
  });

  it('allows unknown fields', async () => {
    const data = { version: 1, product_type: 'x', fromTheFuture: true };
    await using server = await startServer(ok(data));
    expect(await createClient({ url: server.url, contract, checkAnswers: true }).system.version()).toEqual(data);
  });
});

describe('time limits', () => {
  it('end an attempt that gets no answer', async () => {
    await using server = await startServer(silence);
    const clock = testClock();
    const call = failureOf(createClient({ url: server.url, clock, retries: 0 }).user.me());
    await server.requests(1);
    expect(clock.limits).toEqual([10_000]);
    clock.runOut(10_000);
    expect(await call).toMatchObject({
      name: 'TimeoutError',
      timeoutMs: 10_000,
      message: `No answer from ${server.url}/admin-api/user/me within 10000 ms`,
    });
  });

  it('end an answer that stops half-way', async () => {
    await using server = await startServer((response) => void response.writeHead(200).write('{"status":'));
    const clock = testClock();
    // Headers are complete when fetch resolves; the rest never arrives.
    const headersIn = Promise.withResolvers<void>();
    const observed: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      headersIn.resolve();
      return response;
    };
    const client = createClient({ url: server.url, clock, retries: 0, fetch: observed });
    const call = failureOf(client.user.me());
    await headersIn.promise;
    clock.runOut(10_000);
    expect(await call).toMatchObject({ name: 'TimeoutError' });
  });

  it('start again for each attempt and are canceled at the end', async () => {
    await using server = await startServer(inTurn(silence, ok({})));
    const clock = testClock();
    const call = createClient({ url: server.url, clock }).user.me();
    await server.requests(1);
    clock.runOut(10_000);
    await call;
    expect(server.seen).toHaveLength(2);
    expect(clock.limits).toEqual([]);
  });

  it('may be set for one call, and be infinite', async () => {
    await using server = await startServer(ok({}));
    const client = createClient({ url: server.url });
    await client.user.me({}, { timeoutMs: Number.POSITIVE_INFINITY });
    await expect(client.user.me({}, { timeoutMs: 0 })).rejects.toThrow(TypeError);
    await expect(client.user.me({}, { retries: 0.5 })).rejects.toThrow(TypeError);
  });
});

describe("the caller's signal", () => {
  const reason = { why: 'the screen was closed' };

  it('rejects with its reason, untouched, before anything is sent', async () => {
    await using server = await startServer();
    const call = createClient({ url: server.url }).user.me({}, { signal: AbortSignal.abort(reason) });
    expect(await failureOf(call)).toBe(reason);
    expect(server.seen).toEqual([]);
  });

  it('rejects with its reason while an answer is awaited, and nothing is repeated', async () => {
    await using server = await startServer(silence);
    const controller = new AbortController();
    const infos: RequestInfo[] = [];
    const client = createClient({ url: server.url, onRequest: (info) => infos.push(info) });
    const call = failureOf(client.user.me({}, { signal: controller.signal }));
    await server.requests(1);
    controller.abort(reason);
    expect(await call).toBe(reason);
    expect(infos).toMatchObject([{ attempt: 1, aborted: true }]);
    expect(infos[0]).not.toHaveProperty('error');
  });

  it('rejects with its reason while it waits to try again', async () => {
    await using server = await startServer(refuse('overloaded', { 'retry-after': '10' }));
    const controller = new AbortController();
    const onRequest = () => controller.abort(reason);
    const client = createClient({ url: server.url, onRequest });
    expect(await failureOf(client.user.me({}, { signal: controller.signal }))).toBe(reason);
    expect(server.seen).toHaveLength(1);
  });
});

describe('onRequest', () => {
  it('is called after each attempt', async () => {
    await using server = await startServer(inTurn(hangUp, refuse('overloaded'), ok({})));
    const infos: RequestInfo[] = [];
    await createClient({ url: server.url, clock: testClock(), onRequest: (info) => infos.push(info) }).apiToken.get({
      params: { id: 1 },
      query: { detail: 1 },
    });
    const same = { method: 'GET', url: `${server.url}/admin-api/api_token/1?detail=1`, durationMs: 0 };
    expect(infos).toEqual([
      { ...same, attempt: 1, error: expect.objectContaining({ name: 'NetworkError' }) },
      { ...same, attempt: 2, status: 503, error: expect.objectContaining({ code: 'overloaded' }) },
      { ...same, attempt: 3, status: 200 },
    ]);
  });
});

describe('the user agent', () => {
  it('is sent where the runtime allows it', async () => {
    await using server = await startServer(ok({}));
    await createClient({ url: server.url, userAgent: 'quarterdeck-tui/1.0' }).user.me();
    expect(server.seen[0]?.headers['user-agent']).toBe('quarterdeck-tui/1.0');
  });
});
