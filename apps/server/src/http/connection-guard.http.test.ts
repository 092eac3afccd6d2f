// Bounds of connections, with clients at two addresses of this host.
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openRaw, parseAnswers, type RawConnection } from '../../test/raw-socket.ts';
import { PASSWORD, type Settings, startApi, type TestApi } from '../../test/start-api.ts';

const HERE = '127.0.0.1';
const ELSEWHERE = '127.0.0.2';
const HALF = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
const ME = '/admin-api/user/me';
const LOGIN = JSON.stringify({ username: 'admin', password: PASSWORD });

const closers: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(settings: Settings = {}): Promise<TestApi> {
  // Half-sent requests are closed to make room alone, however long a test takes.
  const options = { headersTimeoutMs: 600_000 };
  const api = await startApi({ MAX_CONNECTIONS: '20', MAX_CONNECTIONS_PER_ADDRESS: '20', ...settings }, options);
  closers.push(() => api[Symbol.asyncDispose]());
  return api;
}

async function open(api: TestApi, bytes: string, localAddress = HERE): Promise<RawConnection> {
  const client = await openRaw(api.server.port, bytes, { localAddress });
  closers.push(() => client[Symbol.asyncDispose]());
  return client;
}

const request = (line: string, headers = '', body = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;

/** Sends a request over a new connection; returns the answer, and whether the server then closed the connection. */
async function ask(api: TestApi, line: string, options: { headers?: string; body?: string; from?: string } = {}) {
  const client = await open(api, request(line, options.headers, options.body), options.from ?? ELSEWHERE);
  await Promise.race([client.ended, once(client.socket, 'data')]);
  const [answer] = parseAnswers(client.text());
  return { client, status: answer?.status, headers: answer?.headers ?? {}, body: answer?.body ?? '' };
}

/** Opens connections with half-sent requests, one by one. */
async function hold(api: TestApi, count: number, from = HERE): Promise<RawConnection[]> {
  const held: RawConnection[] = [];
  for (let i = 0; i < count; i += 1) held.push(await open(api, HALF, from));
  return held;
}

/** Opens event streams: connections in use with a valid credential. */
async function holdStreams(api: TestApi, count: number): Promise<RawConnection[]> {
  const streams: RawConnection[] = [];
  for (let i = 0; i < count; i += 1) {
    const stream = await open(api, request('GET /admin-api/events', `edge-token: ${api.adminToken}\r\n`));
    await vi.waitFor(() => expect(stream.text()).toContain('retry:'), { timeout: 50_000, interval: 5 });
    streams.push(stream);
  }
  return streams;
}

const metricOf = (body: string, name: string) =>
  Number(new RegExp(`^quarterdeck_http_connections_${name} (\\d+)`, 'm').exec(body)?.[1]);

const warnings = (api: TestApi) =>
  api.logged
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level }) => level === 40)
    .map(({ msg }) => msg);

describe('half-sent requests', () => {
  it('of one address are closed for its next ones, without effect on others', async () => {
    const api = await start({ MAX_CONNECTIONS: '100', MAX_CONNECTIONS_PER_ADDRESS: '10' });
    const held = await hold(api, 40);
    await Promise.all(held.slice(0, 30).map(({ ended }) => ended));
    expect((await ask(api, 'GET /healthz')).status).toBe(200);
    expect((await ask(api, 'GET /healthz', { from: HERE })).status).toBe(200);
    expect(held.slice(-5).map(({ socket }) => socket.destroyed)).toEqual(Array(5).fill(false));
  });

  it('are counted, and logged in one line', async () => {
    const api = await start();
    await hold(api, 40);
    const { body } = await ask(api, 'GET /metrics', { headers: `edge-token: ${api.adminToken}\r\n` });
    expect(metricOf(body, 'evicted_total')).toBeGreaterThanOrEqual(20);
    expect(warnings(api)).toEqual(['connections closed to make room for others']);
  });
});

describe('connections with a credential', () => {
  it('that fill all slots leave health, metrics and sign-in to others', async () => {
    const api = await start();
    const streams = await holdStreams(api, 20);
    const credential = `edge-token: ${api.adminToken}\r\n`;

    const refused = await ask(api, `GET ${ME}`, { headers: credential });
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^[1-5]$/), connection: 'close' },
    });
    expect(JSON.parse(refused.body)).toMatchObject({ status: 503, err: { code: 'overloaded' } });
    await refused.client.ended;

    for (const path of ['/healthz', '/healthz/', '/readyz']) {
      expect((await ask(api, `GET ${path}`)).status, path).toBe(200);
    }
    const metrics = await ask(api, 'GET /metrics', { headers: credential });
    expect(metrics.status).toBe(200);
    // This request has a credential, too.
    expect(metricOf(metrics.body, 'credentialed')).toBe(21);
    expect(metricOf(metrics.body, 'refused_total')).toBe(1);
    for (const path of ['/admin-api/user/login', '/api/v1/user/login']) {
      const signedIn = await ask(api, `POST ${path}`, { body: LOGIN });
      expect(signedIn.status, path).toBe(200);
      expect(signedIn.headers['connection']).toBe('close');
      await signedIn.client.ended;
    }
    expect(streams.map(({ socket }) => socket.destroyed)).toEqual(Array(20).fill(false));
  });
});
