// Clients behind a trusted proxy: the server uses the client's address everywhere, and a client cannot choose it.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { PASSWORD, type TestApi, useApi } from './start-api.ts';

const LOGIN = '/admin-api/user/login';
/** Default address of the requests. */
const PROXY = '127.0.0.1';
const BEHIND_PROXY = { TRUSTED_PROXIES: `${PROXY},10.0.0.0/8` };

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Behind a proxy that writes X-Forwarded-For, and behind one that writes Forwarded. */
const api = useApi(BEHIND_PROXY);
const forwarded = useApi({ ...BEHIND_PROXY, PROXY_HEADER: 'forwarded' });

let clients = 0;
/** An address of a client of one test alone: failed sign-ins count for an address. */
function newClient(): string {
  clients += 1;
  return `192.0.2.${clients}`;
}

/** A request from an address of this host. */
async function send(server: TestApi, path: string, headers: Headers = {}, body?: unknown, localAddress = PROXY) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const req = request(server.url + path, {
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

/** A user of one test alone, because failed sign-ins also count for an account. */
async function newPerson(server = api) {
  const { username, client } = await server.person('operator');
  const signIn = (headers: Headers, password = PASSWORD, localAddress = PROXY) =>
    send(server, LOGIN, headers, { username, password }, localAddress);
  return {
    signIn,
    /** Fails to sign in five times, the limit of an account. */
    async guessWrong(headers: Headers, localAddress = PROXY): Promise<void> {
      for (let guess = 0; guess < 5; guess += 1) {
        expect((await signIn(headers, 'not the password', localAddress)).status).toBe(401);
      }
    },
    /** The address of the newest session. */
    async newestSession(): Promise<string | undefined> {
      const { data } = await client.user.sessions();
      return data.toSorted((a, b) => b.id - a.id)[0]?.address;
    },
  };
}

describe('behind a trusted proxy', () => {
  it('lets a client sign in whose neighbour is locked out', async () => {
    const [client, neighbour] = [newClient(), newClient()];
    const { signIn, guessWrong } = await newPerson();
    expect((await signIn(from(client))).status).toBe(200);
    await guessWrong(from(neighbour));
    expect((await signIn(from(neighbour))).status).toBe(429);
    expect((await signIn(from(client))).status).toBe(200);
  });

  it('judges a token that may be used from one block by the address of the client', async () => {
    const [client, neighbour] = [newClient(), newClient()];
    const { token } = await api.admin.apiToken.create({ body: { name: 'ci', allowed_cidrs: [`${client}/32`] } });
    const { token: ofProxy } = await api.admin.apiToken.create({ body: { name: 'proxy', allowed_cidrs: [PROXY] } });
    const status = async (secret: string, headers: Headers) =>
      (await send(api, '/admin-api/user/me', { 'API-Token': secret, ...headers })).status;
    expect(await status(token, from(client))).toBe(200);
    expect(await status(token, from(`::ffff:${client}`))).toBe(200);
    expect(await status(token, from(neighbour))).toBe(403);
    expect(await status(token, {})).toBe(403);
    expect(await status(ofProxy, from(client))).toBe(403);
  });

  it('shows the client in sessions, audit log, request log, and as the source of lines', async () => {
    const [client, neighbour] = [newClient(), newClient()];
    const { signIn, newestSession } = await newPerson();
    const { status, text: answer } = await signIn(from(client));
    expect(status).toBe(200);
    const { token } = JSON.parse(answer).data;
    expect(await newestSession()).toBe(client);
    const entries = async () => (await api.admin.audit.list({ query: { page_size: 1 } })).data;
    expect(await entries()).toMatchObject([{ actor: { address: client } }]);
    const lines = [{ level: 4, log: 'from behind a proxy' }];
    const headers = { ...from(neighbour), 'edge-token': token, 'Content-Type': 'application/json' };
    expect((await send(api, '/admin-api/log_server/errlog', headers, lines)).status).toBe(200);
    const otlp = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'by OTLP' } }] }] }] };
    expect((await send(api, '/v1/logs', headers, otlp)).status).toBe(200);
    const { data: sources } = await api.admin.errlog.sources({ query: { q: neighbour } });
    expect(sources.map(({ address }) => address)).toEqual([neighbour, neighbour]);
    // The line of a request follows its answer.
    await vi.waitFor(
      () => {
        const requests = api.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
        expect(requests).toContainEqual(expect.objectContaining({ path: LOGIN, address: client }));
      },
      { timeout: 50_000 },
    );
  });

  it('reads several header lines in their order', async () => {
    const client = newClient();
    const { signIn, newestSession } = await newPerson();
    await signIn({ 'X-Forwarded-For': ['203.0.113.9', `${client}:4711`, '10.1.2.3'] });
    expect(await newestSession()).toBe(client);
  });

  it('reads Forwarded where the settings say so, and nothing else', async () => {
    const { signIn, newestSession } = await newPerson(forwarded);
    await signIn({ Forwarded: 'for="[2001:db8::7]:4711";proto=https', ...from(newClient()) });
    expect(await newestSession()).toBe('2001:db8::7');
    await signIn(from(newClient()));
    expect(await newestSession()).toBe(PROXY);
  });
});

describe('forged headers', () => {
  it('change nothing from other peers: failed sign-ins count for the peer', async () => {
    const spoofed = { 'X-Forwarded-For': PROXY, Forwarded: `for=${PROXY}` };
    const { signIn, guessWrong } = await newPerson();
    await guessWrong(spoofed, '127.0.0.2');
    expect((await signIn(from('203.0.113.1'), PASSWORD, '127.0.0.2')).status).toBe(429);
    expect((await signIn(spoofed)).status).toBe(200);
    const { data } = await api.admin.audit.list({ query: { page_size: 2 } });
    expect(data.map(({ actor }) => actor.address)).toEqual([PROXY, '127.0.0.2']);
  });
});
