// The shape of every answer: wire contract section 1. Much of it is generated from the contract.
import { ERRORS } from '@quarterdeck/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird } from '../../../test/thoroughness.ts';
import { accessCalls, HOUR_MS } from './callers.ts';
import { exampleOf, pathOf, ROUTES, type Route } from './endpoints.ts';
import { failuresOf, JSON_TYPE } from './failures.ts';
import { PASSWORD, useApi } from './start-api.ts';

const LOGIN = '/admin-api/user/login';
const TOKENS = '/admin-api/api_token';
const ERRLOG = '/admin-api/log_server/errlog';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const api = useApi();
let session: Record<string, string>;
let master: number;
beforeAll(async () => {
  session = { 'edge-token': api.adminToken };
  master = await storeUser('master');
});
/** Ids of requests that fail on purpose. */
const failed: string[] = [];
afterAll(() => {
  const errors = api.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  expect(errors.filter(({ request_id }) => !failed.includes(request_id))).toEqual([]);
});

const { storeSession, storeUser } = accessCalls(() => api);

/** A session of its own, which the call may end. */
async function asMaster() {
  const { secret } = await storeSession(master, api.now() + HOUR_MS);
  return { headers: { 'edge-token': secret } };
}

/** One request whose answer's text is wanted too. Redirects are not followed. */
async function ask(method: string, path: string, init: RequestInit = {}) {
  // The length on the wire is that of the text.
  const headers = { 'Accept-Encoding': 'identity', ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(api.url + path, { redirect: 'manual', ...init, headers, method });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const json = (body: unknown) => ({
  headers: { ...session, 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Checks the headers of every answer. */
function expectOurHeaders(headers: Headers, length: number, isVersioned = false): void {
  expect(headers.get('content-type')).toBe(JSON_TYPE);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers.get('x-request-id')).toMatch(UUID);
  expect(headers.get('content-length')).toBe(String(length));
  expect(headers.has('etag')).toBe(isVersioned);
  for (const name of ['x-powered-by', 'set-cookie', 'server', 'location', 'transfer-encoding']) {
    expect(headers.has(name), name).toBe(false);
  }
}

const { expectFailure } = failuresOf(() => api);

describe('a success', () => {
  it('with data has status, time and data', async () => {
    for (const [method, path, init] of [
      ['GET', TOKENS, { headers: session }],
      ['GET', ERRLOG, { headers: session }],
      ['GET', '/api/agents', { headers: session }],
      ['GET', '/admin-api/user/me', { headers: session }],
      ['POST', TOKENS, json({ name: 'x' })],
      ['POST', ERRLOG, json({ level: 4, log: 'x' })],
      ['POST', '/api/agents/register', json({ node_id: 'n', hostname: 'h' })],
    ] as const) {
      const { status, headers, text } = await ask(method, path, init);
      expect(status).toBe(200);
      expectOurHeaders(headers, Buffer.byteLength(text));
      const body = JSON.parse(text);
      expect(Object.keys(body)).toEqual(['status', 'time', 'data']);
      expect(body.status).toBe(0);
      expect(Number.isInteger(body.time)).toBe(true);
      expect(Math.abs(body.time - api.now() / 1000)).toBeLessThan(30);
    }
  });

  it('without data is status and nothing else', async () => {
    const { id } = await api.admin.apiToken.create({ body: {} });
    const { token } = await api.person('viewer');
    const agent = await api.agent();
    for (const [method, path, init] of [
      ['PUT', `${TOKENS}/${id}`, json({ name: 'y' })],
      ['DELETE', `${TOKENS}/${id}`, { headers: session }],
      ['POST', '/admin-api/user/logout', { headers: { 'edge-token': token } }],
      ['POST', `/api/agents/${agent.id}/shutdown`, { headers: { 'API-Token': agent.secret } }],
    ] as const) {
      const { status, headers, text } = await ask(method, path, init);
      expect([status, text]).toEqual([200, '{"status":0}']);
      expectOurHeaders(headers, Buffer.byteLength(text), method === 'PUT');
    }
  });
});

describe('a failure', () => {
  it('of an unknown path is JSON', async () => {
    for (const path of ['/nope', '/admin-api', '/admin-api/', '/admin-api/nope', '/api', '/api/nope', '/%2e%2e/x']) {
      const answer = await ask('GET', path);
      expectFailure(answer, 404, 'unknown_path');
      expectOurHeaders(answer.headers, Buffer.byteLength(answer.text));
    }
  });

  it('of malformed JSON says no more than that', async () => {
    for (const body of [
      '{',
      '{"name":}',
      'null x',
      "{'name': 'x'}",
      '{"name":"secret words"',
      '\u0000',
      '[1,]',
      '{"a":1e}',
    ]) {
      const answer = await ask('POST', TOKENS, json(body));
      expect(expectFailure(answer, 400, 'malformed_json')).not.toHaveProperty('detail');
      expect(answer.text).not.toContain('secret words');
      expectOurHeaders(answer.headers, Buffer.byteLength(answer.text));
    }
  });

  it('of a body that is not UTF-8 is a refusal, never a guess', async () => {
    for (const bytes of [
      [0xff, 0xfe],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
    ]) {
      const answer = await ask('POST', TOKENS, { ...json(''), body: Uint8Array.from(bytes) });
      expectFailure(answer, 400, 'malformed_json');
    }
  });

  it('of a wrong content type is 415, before the body is read', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'json',
      '*/*',
    ]) {
      const answer = await ask('POST', TOKENS, { headers: { ...session, 'Content-Type': type }, body: '{}' });
      expectFailure(answer, 415, 'unsupported_media_type');
    }
    for (const type of ['application/json', 'application/JSON; charset=utf-8', 'application/vnd.x+json', '']) {
      const answer = await ask('POST', TOKENS, { headers: { ...session, 'Content-Type': type }, body: '{}' });
      expect(answer.status, type).toBe(200);
    }
    const ndjson = { headers: { ...session, 'Content-Type': 'application/x-ndjson' }, body: '{}' };
    expectFailure(await ask('POST', TOKENS, ndjson), 415, 'unsupported_media_type');
  });

  it('of a compressed body is 415', async () => {
    for (const encoding of ['gzip', 'br', 'x-unknown']) {
      const headers = { ...json('').headers, 'Content-Encoding': encoding };
      expectFailure(await ask('POST', TOKENS, { headers, body: '{}' }), 415, 'unsupported_media_type');
      expectFailure(await ask('POST', LOGIN, { headers, body: '{}' }), 415, 'unsupported_media_type');
    }
    const headers = { ...json('').headers, 'Content-Encoding': 'identity' };
    expect((await ask('POST', TOKENS, { headers, body: '{}' })).status).toBe(200);
  });

  it('of a credential names the scheme that takes one', async () => {
    const refused: readonly (readonly [string, string, RequestInit?])[] = [
      ['GET', '/admin-api/user/me'],
      ['GET', '/admin-api/user/me', { headers: { 'edge-token': 'nonsense' } }],
      ['POST', LOGIN, { body: JSON.stringify({ username: 'nobody', password: PASSWORD }) }],
      ['POST', ERRLOG, { body: '[]' }],
      ['POST', '/v1/logs', { body: '{}' }],
      ['POST', '/mcp', { body: '{}' }],
      ['GET', '/metrics'],
      ['GET', '/admin-api/events'],
      ['GET', `${ERRLOG}/export`],
      ['POST', '/api/agents/1/heartbeat', { body: '{}' }],
    ];
    for (const [method, path, init] of refused) {
      const { status, headers } = await ask(method, path, init);
      expect([path, status, headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer realm="quarterdeck"']);
    }
    // The official client gets it as a success.
    const compat = await ask('GET', '/api/v1/user/me');
    expect([compat.status, compat.headers.get('www-authenticate')]).toEqual([200, null]);
  });

  it('of a path that cannot be decoded is 400', async () => {
    for (const path of [`${TOKENS}/%`, `${TOKENS}/%zz`, `${TOKENS}/%c3`, `${TOKENS}/%ed%a0%80`]) {
      expectFailure(await ask('GET', path, { headers: session }), 400, 'bad_request');
    }
    for (const path of [`${TOKENS}/%00`, `${TOKENS}/1%2f2`, `${TOKENS}/1%202`, `${TOKENS}/0x1`, `${TOKENS}/1e0`]) {
      const err = expectFailure(await ask('GET', path, { headers: session }), 400, 'validation_failed');
      expect(err.fields).toEqual([{ path: 'params.id', message: expect.any(String) }]);
    }
  });

  it('of the server is a sentence without the cause, which the log has', async () => {
    const { db } = api.server.deps;
    // An invalid level: the answer does not fit the contract, which is a server error.
    const fingerprint = 'a broken row';
    const broken = { src: 0, nodeType: 0, level: 42, fingerprint, log: 'x', count: 1n, firstSeen: 1n, logTime: 1n };
    const { id } = await db.write((tx) => tx.prisma.errlog.create({ data: broken }));
    const answer = await ask('GET', `${ERRLOG}/${id}`, { headers: session });
    await db.write((tx) => tx.prisma.errlog.delete({ where: { id } }));
    const err = expectFailure(answer, 500, 'internal');
    expect(JSON.parse(answer.text).msg).toBe('Internal server error. Report the request id if it happens again.');
    expect(err).toEqual({ code: 'internal', request_id: answer.headers.get('x-request-id') });
    failed.push(err.request_id);
    const line = api.logged.map((text) => JSON.parse(text)).find(({ level }) => level === 50);
    expect(line).toMatchObject({ request_id: err.request_id, err: { stack: expect.stringContaining('ZodError') } });
  });

  it('is a problem document where that is asked for', async () => {
    for (const accept of ['application/problem+json', 'application/json;q=0.1, application/problem+json']) {
      const answer = await ask('GET', '/admin-api/user/me', { headers: { Accept: accept } });
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      const { type, title, detail, instance, ...envelope } = JSON.parse(answer.text);
      const err = expectFailure({ status: answer.status, text: JSON.stringify(envelope) }, 401, 'credential_missing');
      expect({ type, title, detail, instance }).toEqual({
        type: 'urn:quarterdeck:error:credential_missing',
        title: ERRORS.credential_missing.message,
        detail: envelope.msg,
        instance: `urn:quarterdeck:request:${err.request_id}`,
      });
    }
    const wrong = await ask('GET', '/admin-api/user/list?page=x', {
      headers: { ...session, Accept: 'application/problem+json' },
    });
    expect(JSON.parse(wrong.text)).toMatchObject({
      status: 400,
      title: ERRORS.validation_failed.message,
      detail: expect.stringContaining('query.page'),
      err: { fields: [{ path: 'query.page' }] },
    });
    const good = await ask('GET', '/admin-api/user/me', {
      headers: { ...session, Accept: 'application/problem+json' },
    });
    expect(good.headers.get('content-type')).toBe(JSON_TYPE);
  });
});

describe('X-Request-Id', () => {
  const idOf = async (given?: string) => {
    const headers = given === undefined ? {} : { 'X-Request-Id': given };
    const answer = await ask('GET', '/nope', { headers });
    const { err } = JSON.parse(answer.text);
    expect(err.request_id).toBe(answer.headers.get('x-request-id'));
    return err.request_id;
  };

  it('is a new one for each request', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => idOf()));
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  it('is the one of the caller where that is harmless', async () => {
    for (const id of ['12345678', 'a.b-c_D9', 'x'.repeat(64)]) expect(await idOf(id)).toBe(id);
    for (const id of [
      '1234567',
      'x'.repeat(65),
      'with space',
      'a,b,c,d,e',
      '<script>',
      '"quoted"',
      '\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9',
    ]) {
      expect(await idOf(id)).toMatch(UUID);
    }
  });
});

const id = 2_147_483_647;
const body = ({ method, endpoint }: Route): RequestInit =>
  method === 'GET' || endpoint.body === undefined ? {} : json(exampleOf(endpoint.body));

const READS = ROUTES.filter(({ method }) => method === 'GET');

/** One-time operations, done before their answers are compared. */
const ONCE = ['agent.register', 'agentOperation.create', 'kernelRule.create', 'user.create'];

describe.each(nonEmpty(everyThird(ROUTES, 0)))('$method $path ($name)', (route) => {
  const call = async (path: string, method: string = route.method) => {
    const init = body(route);
    const { headers } = await asMaster();
    return ask(method, path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } });
  };

  it('answers with and without a trailing slash alike', async () => {
    const path = pathOf(route, id);
    if (ONCE.includes(route.name)) await call(path);
    const [plain, slash] = [await call(path), await call(`${path}/`)];
    expect(slash.status).toBe(plain.status);
    const { data, err } = JSON.parse(slash.text);
    expect(err?.code).toBe(JSON.parse(plain.text).err?.code);
    expect(Object.keys(data ?? {})).toEqual(Object.keys(JSON.parse(plain.text).data ?? {}));
    const isVersioned = plain.status === 200 && route.method !== 'DELETE' && route.endpoint.versioned !== undefined;
    for (const { headers, text } of [plain, slash]) expectOurHeaders(headers, Buffer.byteLength(text), isVersioned);
  });

  it('refuses other methods with 405 and says which there are', async () => {
    const methods = ROUTES.filter(({ path }) => path === route.path).map(({ method }) => method as string);
    if (methods.includes('GET')) methods.push('HEAD');
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter(
      (name) => !methods.includes(name),
    )) {
      const answer = await ask(method, pathOf(route, 1));
      expectFailure(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(methods.sort());
    }
  });
});

describe.each(nonEmpty(everyThird(READS, 1)))('HEAD $path ($name)', (route) => {
  it('answers as GET does, without the body', async () => {
    const path = pathOf(route, id);
    // Signing out, too, is a GET.
    const get = await ask('GET', path, await asMaster());
    const head = await ask('HEAD', path, await asMaster());
    expect([head.status, head.text]).toEqual([get.status, '']);
    expect(head.headers.get('content-type')).toBe(JSON_TYPE);
    expect(head.headers.get('x-total-count')).toBe(get.headers.get('x-total-count'));
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
  });
});

describe('what is outside the contract', () => {
  it.each(['/healthz', '/readyz', '/openapi.json'])(
    '%s is JSON, open to anybody, with and without a slash',
    async (path) => {
      for (const url of [path, `${path}/`]) {
        const answer = await ask('GET', url);
        expect(answer.status).toBe(200);
        expectOurHeaders(answer.headers, Buffer.byteLength(answer.text));
        expect((await ask('HEAD', url)).text).toBe('');
        for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
          const refusal = await ask(method, url);
          expectFailure(refusal, 405, 'method_not_allowed');
          expect(refusal.headers.get('allow')).toBe('HEAD, GET');
        }
      }
    },
  );

  it('has a page for people that can load nothing from elsewhere', async () => {
    for (const path of ['/docs', '/docs/']) {
      const page = await ask('GET', path);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('x-request-id')).toMatch(UUID);
      expectFailure(await ask('POST', path), 405, 'method_not_allowed');
      expectFailure(await ask('OPTIONS', path), 405, 'method_not_allowed');
    }
  });

  it('has an event stream that is refused like everything else', async () => {
    expectFailure(await ask('GET', '/admin-api/events'), 401, 'credential_missing');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expectFailure(await ask(method, '/admin-api/events/', { headers: session }), 405, 'method_not_allowed');
    }
  });

  it('has an event stream that says no more than its headers to HEAD', async () => {
    const head = await ask('HEAD', '/admin-api/events', { headers: session });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  });
});
