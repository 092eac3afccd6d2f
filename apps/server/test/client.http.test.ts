// Clients behind a trusted proxy: the server uses the client's address everywhere, and a client cannot choose it.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { PASSWORD, type Settings, startApi, type TestApi } from './start-api.ts';

const LOGIN = '/admin-api/user/login';
/** Default address of the requests. */
const PROXY = '127.0.0.1';
const CLIENT = '192.0.2.7';
const NEIGHBOUR = '192.0.2.8';
const BEHIND_PROXY = { TRUSTED_PROXIES: PROXY };

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A request from an address of this host. */
async function send(api: TestApi, path: string, headers: Headers = {}, body?: unknown, localAddress = PROXY) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const req = request(api.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: headers as Record<string, string | string[]>,
    localAddress,
  });
  req.on('error', reject).on('response', (res) => {
    text(res).then((answer) => resolve({ status: res.statusCode ?? 0, text: answer }), reject);
  });
  req.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

const from = (client: string) => ({ 'X-Forwarded-For': client });
const signIn = (api: TestApi, headers: Headers, password = PASSWORD, username = 'admin', localAddress = PROXY) =>
  send(api, LOGIN, headers, { username, password }, localAddress);

/** Fails to sign in five times, the limit of an account. */
async function guessWrong(api: TestApi, headers: Headers, localAddress = PROXY): Promise<void> {
  for (let guess = 0; guess < 5; guess += 1) {
    expect((await signIn(api, headers, 'not the password', 'admin', localAddress)).status).toBe(401);
  }
}

/** The address of the newest session. */
async function newestSession(api: TestApi): Promise<string | undefined> {
  const { data } = await api.admin.user.sessions();
  return data.toSorted((a, b) => b.id - a.id)[0]?.address;
}

const start = (settings: Settings = BEHIND_PROXY) => startApi(settings);

describe('behind a trusted proxy', () => {
  it('lets a client sign in whose neighbour is locked out', async () => {
    await using api = await start();
    expect((await signIn(api, from(CLIENT))).status).toBe(200);
    await guessWrong(api, from(NEIGHBOUR));
    expect((await signIn(api, from(NEIGHBOUR))).status).toBe(429);
    expect((await signIn(api, from(CLIENT))).status).toBe(200);
  });

  it('locks out one address that tries many names, and no other', async () => {
    await using api = await start();
    for (let name = 0; name < 20; name += 1) {
      expect((await signIn(api, from(NEIGHBOUR), 'a wrong password', `made-up-${name}`)).status).toBe(401);
    }
    expect((await signIn(api, from(NEIGHBOUR), PASSWORD)).status).toBe(429);
    expect((await signIn(api, from(CLIENT), PASSWORD)).status).toBe(200);
  });

  it('judges a token that may be used from one block by the address of the client', async () => {
    await using api = await start();
    const { token } = await api.admin.apiToken.create({ body: { name: 'ci', allowed_cidrs: ['192.0.2.7/32'] } });
    const { token: ofProxy } = await api.admin.apiToken.create({ body: { name: 'proxy', allowed_cidrs: [PROXY] } });
    const status = async (secret: string, headers: Headers) =>
      (await send(api, '/admin-api/user/me', { 'API-Token': secret, ...headers })).status;
    expect(await status(token, from(CLIENT))).toBe(200);
    expect(await status(token, from(`::ffff:${CLIENT}`))).toBe(200);
    expect(await status(token, from(NEIGHBOUR))).toBe(403);
    expect(await status(token, {})).toBe(403);
    expect(await status(ofProxy, from(CLIENT))).toBe(403);
  });

  it('shows the client in sessions, audit log, request log, and as the source of lines', async () => {
    await using api = await startApi({ ...BEHIND_PROXY, LOG_LEVEL: 'debug' });
    const { status, text: answer } = await signIn(api, from(CLIENT));
    expect(status).toBe(200);
    const { token } = JSON.parse(answer).data;
    expect(await newestSession(api)).toBe(CLIENT);
    const entries = async () => (await api.admin.audit.list({ query: { page_size: 1 } })).data;
    expect(await entries()).toMatchObject([{ actor: { address: CLIENT } }]);
    const lines = [{ level: 4, log: 'from behind a proxy' }];
    const headers = { ...from(NEIGHBOUR), 'edge-token': token, 'Content-Type': 'application/json' };
    expect((await send(api, '/admin-api/log_server/errlog', headers, lines)).status).toBe(200);
    const otlp = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'by OTLP' } }] }] }] };
    expect((await send(api, '/v1/logs', headers, otlp)).status).toBe(200);
    const { data: sources } = await api.admin.errlog.sources({ query: { q: NEIGHBOUR } });
    expect(sources.map(({ address }) => address)).toEqual([NEIGHBOUR, NEIGHBOUR]);
    const requests = api.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(requests).toContainEqual(expect.objectContaining({ path: LOGIN, address: CLIENT }));
  });

  it('reads several header lines in their order, and ports and brackets', async () => {
    await using api = await start({ TRUSTED_PROXIES: `${PROXY},10.0.0.0/8` });
    await signIn(api, { 'X-Forwarded-For': ['203.0.113.9', `${CLIENT}:4711`, '10.1.2.3'] });
    expect(await newestSession(api)).toBe(CLIENT);
    await signIn(api, from('[2001:db8::7]:4711, 10.1.2.3'));
    expect(await newestSession(api)).toBe('2001:db8::7');
  });

  it('reads Forwarded where the settings say so, and nothing else', async () => {
    await using api = await start({ ...BEHIND_PROXY, PROXY_HEADER: 'forwarded' });
    await signIn(api, { Forwarded: 'for="[2001:db8::7]:4711";proto=https', 'X-Forwarded-For': NEIGHBOUR });
    expect(await newestSession(api)).toBe('2001:db8::7');
    await signIn(api, from(NEIGHBOUR));
    expect(await newestSession(api)).toBe(PROXY);
  });
});

describe('forged headers', () => {
  const MADE_UP = ['203.0.113.9', 'unknown', '203.0.113.9, "', 'for="', '203.0.113.9\\', ', ,'];

  it("change nothing in front of a trusted proxy's entry", async () => {
    await using api = await start();
    for (const before of MADE_UP) {
      await signIn(api, { 'X-Forwarded-For': `${before}, ${CLIENT}`, Forwarded: 'for=203.0.113.9' });
      expect(await newestSession(api)).toBe(CLIENT);
    }
    await using other = await start({ ...BEHIND_PROXY, PROXY_HEADER: 'forwarded' });
    for (const before of MADE_UP) {
      await signIn(other, { Forwarded: `for="${before}, for=${CLIENT}`, ...from('203.0.113.9') });
      expect(await newestSession(other)).toBe(CLIENT);
    }
  });

  it('change nothing from other peers: failed sign-ins count for the peer', async () => {
    await using api = await start();
    const spoofed = { 'X-Forwarded-For': PROXY, Forwarded: `for=${PROXY}` };
    await guessWrong(api, spoofed, '127.0.0.2');
    expect((await signIn(api, from('203.0.113.1'), PASSWORD, 'admin', '127.0.0.2')).status).toBe(429);
    expect((await signIn(api, spoofed, PASSWORD, 'admin', PROXY)).status).toBe(200);
    const { data } = await api.admin.audit.list({ query: { page_size: 2 } });
    expect(data.map(({ actor }) => actor.address)).toEqual([PROXY, '127.0.0.2']);
  });

  it('change nothing without trusted proxies', async () => {
    await using api = await start({});
    await signIn(api, { 'X-Forwarded-For': CLIENT, Forwarded: `for=${CLIENT}` });
    expect(await newestSession(api)).toBe(PROXY);
  });
});
