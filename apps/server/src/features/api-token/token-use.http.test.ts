// From where and until when an API token works, and what is remembered of its use.
import { describe, expect, it } from 'vitest';
import { startApi, useApi } from '../../../test/start-api.ts';
import { createCredentialUse } from './credential-use.ts';

const DAY_MS = 86_400_000;

const api = useApi();

const ask = async (apiToken: string, client = 'tests', url = api.url) => {
  const headers = { 'API-Token': apiToken, 'User-Agent': client };
  const response = await fetch(`${url}/admin-api/user/me`, { headers });
  const { err } = JSON.parse(await response.text());
  return response.status === 200 ? 'ok' : `${response.status} ${err.code}`;
};

describe('an API token for some addresses', () => {
  it.each([
    [['192.0.2.0/24', '::1', '127.0.0.1/32'], 'ok'],
    [['::1', '2001:db8::/32'], '403 address_not_allowed'],
  ])('%j answers one from 127.0.0.1 with %s', async (allowed_cidrs, outcome) => {
    const { token } = await api.admin.apiToken.create({ body: { allowed_cidrs } });
    expect(await ask(token)).toBe(outcome);
  });

  it('accepts an IPv4 caller on an IPv6 socket, and an IPv6 caller', async ({ skip }) => {
    const own = await startApi({ HOST: '::' }).catch(() => undefined);
    // There is no IPv6 on this machine.
    if (own === undefined) return skip();
    await using _ = own;
    const made = async (...allowed_cidrs: string[]) => own.admin.apiToken.create({ body: { allowed_cidrs } });
    const [v4, v6] = [await made('127.0.0.0/8'), await made('::1')];
    const on = (host: string) => `http://${host}:${own.server.port}`;
    expect(await ask(v4.token, 'tests', on('127.0.0.1'))).toBe('ok');
    expect(await ask(v6.token, 'tests', on('127.0.0.1'))).toBe('403 address_not_allowed');
    expect(await ask(v6.token, 'tests', on('[::1]'))).toBe('ok');
    expect(await ask(v4.token, 'tests', on('[::1]'))).toBe('403 address_not_allowed');
  });
});

describe('the last use of an API token', () => {
  const lastUse = async (id: number) => {
    await api.server.jobs.runAll();
    const { last_used, last_address, last_client } = await api.admin.apiToken.get({
      params: { id },
      query: { detail: 1 },
    });
    return { last_used, last_address, last_client };
  };

  it('is written with address and client, at most once a minute, and never goes back', async () => {
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    expect(await lastUse(id)).toEqual({ last_used: null, last_address: '', last_client: '' });
    await ask(token, 'first');
    const first = await lastUse(id);
    expect(first).toMatchObject({ last_address: '127.0.0.1', last_client: 'first' });
    expect(Math.abs((first.last_used ?? 0) - api.now() / 1000)).toBeLessThan(30);
    await ask(token, 'second');
    expect(await lastUse(id)).toEqual(first);
    api.advance(60_001);
    await ask(token, 'third');
    const third = await lastUse(id);
    expect(third.last_client).toBe('third');
    expect(third.last_used).toBeGreaterThan(first.last_used ?? 0);
    const { last } = await api.admin.apiToken.use({ params: { id } });
    expect(last).toEqual({ time: third.last_used, address: '127.0.0.1' });
    // Another server, whose clock is behind, has nothing newer to say.
    api.advance(-120_000);
    await ask(token, 'fourth');
    expect(await lastUse(id)).toEqual(third);
    api.advance(120_000);
  });

  it('costs no write within the minute, and yields to a later one of another server', async () => {
    const { id } = await api.admin.apiToken.create({ body: {} });
    const { db } = api.server.deps;
    let writes = 0;
    const counting = {
      write: (...args: Parameters<typeof db.write>) => {
        writes += 1;
        return db.write(...args);
      },
    } as typeof db;
    const nowMs = api.now();
    const use = async (atMs: number, knownMs: number, client: string) => {
      const server = createCredentialUse({ ...api.server.deps, db: counting, now: () => atMs });
      server.used('api_token', id, knownMs, '192.0.2.1', client);
      await server.flush();
      return (await lastUse(id)).last_client;
    };
    expect(await use(nowMs, 0, 'one')).toBe('one');
    expect(await use(nowMs + 59_999, nowMs, 'known to be too soon')).toBe('one');
    expect(writes).toBe(1);
    // These have looked before the others wrote.
    expect(await use(nowMs + 59_999, 0, 'too soon')).toBe('one');
    expect(await use(nowMs - 120_000, 0, 'of the past')).toBe('one');
    expect(await use(nowMs + 60_000, 0, 'two')).toBe('two');
  });

  it('is written in the background, and not for a refused request', async () => {
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    const { id: away, token: elsewhere } = await api.admin.apiToken.create({ body: { allowed_cidrs: ['192.0.2.1'] } });
    await ask(elsewhere);
    await ask(token, 'unasked');
    const details = (which: number) => api.admin.apiToken.get({ params: { id: which }, query: { detail: 1 } });
    await expect.poll(async () => (await details(id)).last_client).toBe('unasked');
    expect((await details(away)).last_used).toBeNull();
  });

  it('is written when the server stops, and of a session too', async () => {
    await using own = await startApi();
    const { id, token } = await own.admin.apiToken.create({ body: {} });
    await ask(token, 'last words', own.url);
    await own.server.stop();
    await using again = await startApi(own.sharing);
    const { prisma } = again.server.deps.db.read;
    expect(await prisma.apiToken.findUnique({ where: { id } })).toMatchObject({ lastClient: 'last words' });
    expect(await prisma.session.count({ where: { lastUsedMs: { gt: 0 } } })).toBe(1);
  });
});

describe('an API token that is about to expire', () => {
  const warnings = async (id: number) => {
    await api.server.jobs.runAll();
    const events = await api.server.deps.db.read.prisma.event.findMany({
      where: { type: 'token.expiring' },
      orderBy: { id: 'asc' },
    });
    return events.map(({ data }) => JSON.parse(data)).filter((data) => data.id === id);
  };
  const moveTo = (id: number, expireMs: number) =>
    api.server.deps.db.write((tx) =>
      tx.prisma.apiToken.update({ where: { id }, data: { expireMs: BigInt(expireMs) } }),
    );
  const days = (listed: { days: number }[]) => listed.map((one) => one.days);

  it('is announced a week and a day before, and again after it was extended', async () => {
    const expire = api.now() + 8 * DAY_MS;
    const { id } = await api.admin.apiToken.create({ body: { name: 'soon', expire } });
    expect(await warnings(id)).toEqual([]);
    const inSix = api.now() + 6 * DAY_MS;
    await moveTo(id, inSix);
    expect(await warnings(id)).toEqual([
      { id, name: 'soon', uid: 1, expire: inSix, days: 7, last_used: null, last_address: '', last_client: '' },
    ]);
    expect(days(await warnings(id))).toEqual([7]);
    await moveTo(id, api.now() + DAY_MS - 1000);
    expect(days(await warnings(id))).toEqual([7, 1]);
    expect(days(await warnings(id))).toEqual([7, 1]);
    await api.admin.apiToken.update({ params: { id }, body: { name: 'renamed' } });
    expect(days(await warnings(id))).toEqual([7, 1]);
    await api.admin.apiToken.update({ params: { id }, body: { expire: api.now() + 5 * DAY_MS } });
    expect(days(await warnings(id))).toEqual([7, 1, 7]);
  });

  it('is announced once where it lasts a day, and not when disabled or expired', async () => {
    const make = (expire: number) => api.admin.apiToken.create({ body: { expire } });
    const [short, off, over] = [await make(api.now() + 1e7), await make(api.now() + 1e7), await make(api.now() + 1000)];
    await api.admin.apiToken.disable({ params: { id: off.id } });
    await moveTo(over.id, api.now() - 1);
    expect(days(await warnings(short.id))).toEqual([1]);
    expect(await warnings(off.id)).toEqual([]);
    expect(await warnings(over.id)).toEqual([]);
  });

  it('is announced once by many servers together', async () => {
    const { id } = await api.admin.apiToken.create({ body: { expire: api.now() + DAY_MS } });
    await Promise.all(Array.from({ length: 8 }, () => api.server.jobs.runAll()));
    expect(days(await warnings(id))).toEqual([1]);
  });

  it('is announced to those who manage tokens alone', async () => {
    const { token: viewer } = await api.person('operator');
    const { token: limited } = await api.admin.apiToken.create({ body: { scopes: ['agent:read', 'errlog:read'] } });
    const streams: { headers: Record<string, string>; sees: boolean }[] = [
      { headers: { 'edge-token': api.adminToken }, sees: true },
      { headers: { 'edge-token': viewer }, sees: false },
      { headers: { 'API-Token': limited }, sees: false },
    ];
    const { db, events } = api.server.deps;
    const marker = { reason: 'the end', of: 'all' } as const;
    const open = await Promise.all(
      streams.map(({ headers }) =>
        fetch(`${api.url}/admin-api/events`, { headers: { ...headers, 'last-event-id': '1' } }),
      ),
    );
    const { id } = await api.admin.apiToken.create({ body: { name: 'shown', expire: api.now() + DAY_MS } });
    await warnings(id);
    await db.write((tx) => events.publish(tx, [{ type: 'resync', data: marker }]));
    for (const [i, response] of open.entries()) {
      const reader = response.body?.getReader();
      let text = '';
      while (!text.includes('the end')) text += new TextDecoder().decode((await reader?.read())?.value);
      await reader?.cancel();
      expect(text.includes('token.expiring')).toBe(streams[i]?.sees);
    }
  });
});
