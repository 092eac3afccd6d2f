// The official client's prefix: the same answers, except that failures come as HTTP 200 (wire contract section 8).
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird } from '../../../test/thoroughness.ts';
import { accessCalls, HOUR_MS, NO_ID } from './callers.ts';
import { exampleOf, pathOf, ROUTES, type Route } from './endpoints.ts';
import { type Answer, PASSWORD, useApi } from './start-api.ts';

const api = useApi();
let master: number;
beforeAll(async () => {
  master = await storeUser('master');
});

const { storeSession, storeUser } = accessCalls(() => api);

const compatPath = (path: string) => path.replace('/admin-api/', '/api/v1/');

/** The same request id for both answers, which would otherwise differ. */
const REQUEST_ID = 'the-same-for-both';

async function ask(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { 'X-Request-Id': REQUEST_ID, ...(init.headers as Record<string, string>) };
  return api.fetch(path, { ...init, method, headers });
}

/** Resets the throttle of passwords, so that earlier requests do not count. */
async function resetThrottle(path: string): Promise<void> {
  if (path.includes('/user')) await api.server.deps.db.write((tx) => tx.prisma.throttle.deleteMany());
}

/** Sends a request with and without the prefix, and compares the answers. */
async function expectAlike(method: string, path: string, init?: () => Promise<RequestInit>): Promise<Answer> {
  await resetThrottle(path);
  const plain = await ask(method, path, await init?.());
  await resetThrottle(path);
  const compat = await ask(method, compatPath(path), await init?.());
  expect(compat.status).toBe(200);
  expect(Object.keys(compat.body)).toEqual(Object.keys(plain.body));
  expect(Object.keys(compat.body.data ?? {})).toEqual(Object.keys(plain.body.data ?? {}));
  if (plain.status !== 200) {
    expect(compat.body.status).toBe(plain.status);
    expect({ ...compat.body, time: 0 }).toEqual({ ...plain.body, time: 0 });
  } else expect(compat.body.status).toBe(0);
  for (const name of [
    'content-type',
    'cache-control',
    'x-content-type-options',
    'x-request-id',
    'allow',
    'retry-after',
  ]) {
    expect(compat.headers.get(name), name).toBe(plain.headers.get(name));
  }
  return compat;
}

const OF_ADMIN = ROUTES.filter(({ path }) => path.startsWith('/admin-api/'));

describe.each(nonEmpty(everyThird(OF_ADMIN, 0)))('$method $path ($name)', (route: Route) => {
  const path = pathOf(route, NO_ID);
  const hasBody = route.method !== 'GET' && route.endpoint.body !== undefined;
  const example = () =>
    hasBody && route.endpoint.body !== undefined
      ? { body: JSON.stringify(exampleOf(route.endpoint.body)), headers: { 'Content-Type': 'application/json' } }
      : {};
  // A new session for each request, which may end it.
  const asMaster = async (init: RequestInit) => {
    const { secret } = await storeSession(master, api.now() + HOUR_MS);
    return { ...init, headers: { ...(init.headers as Record<string, string>), Auth: secret } };
  };

  // A user that exists is refused by both.
  beforeAll(async () => {
    if (route.name === 'user.create') await api.fetch(path, { method: 'POST', ...(await asMaster(example())) });
  });

  it('answers the same', async () => {
    await expectAlike(route.method, path, () => asMaster(example()));
    await expectAlike(route.method, `${path}/`, () => asMaster(example()));
  });

  it('refuses the same', async () => {
    await expectAlike(route.method, path, async () => example());
    await expectAlike(route.method, path, async () => ({ ...example(), headers: { Auth: 'nonsense' } }));
    await expectAlike('PATCH', path);
    await expectAlike(route.method, `${path}?detail=x&page=0&types=x`, () => asMaster(example()));
    if (!hasBody) return;
    const bodies = ['{', 'null', '{"name":1,"level":"x","username":2}', ' '.repeat(9_000_000)];
    for (const body of everyThird(bodies, OF_ADMIN.indexOf(route) / 3)) {
      await expectAlike(route.method, path, () => asMaster({ body, headers: { 'Content-Type': 'application/json' } }));
    }
    const headers = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
    await expectAlike(route.method, path, () => asMaster({ body: '{}', headers }));
  });
});

describe('/api/v1', () => {
  it('signs in and lists, as the official client does it', async () => {
    const body = JSON.stringify({ username: 'admin', password: PASSWORD });
    const login = await api.fetch('/api/v1/user/login', { method: 'POST', body });
    expect(login.body).toMatchObject({ status: 0, data: { token: expect.any(String) } });
    const headers = { Auth: login.body.data.token };
    for (const path of ['/api/v1/log_server/errlog/?page_size=0', '/api/v1/api_token?page=1&page_size=20']) {
      const { status, body: list } = await api.fetch(path, { headers });
      expect(status).toBe(200);
      expect(list).toMatchObject({ status: 0, data: { meta: { count: expect.any(Number) } } });
    }
    const version = await api.fetch('/api/v1/version', { headers });
    expect(version.body.data).toEqual({ version: expect.any(Number), product_type: 'quarterdeck' });
  });

  it.each([
    ['user-group', []],
    ['profiles/1/sync_to_all', { ngx: false, lua_module: false }],
  ])('answers %s, which it does not have, as the official client reads it', async (path, data) => {
    for (const prefix of ['/admin-api/', '/api/v1/']) {
      for (const end of ['', '/']) {
        const { status, body } = await api.fetch(prefix + path + end, { headers: { Auth: api.adminToken } });
        expect({ status, body }).toEqual({ status: 200, body: { status: 0, time: expect.any(Number), data } });
      }
      const { body } = await api.fetch(prefix + path);
      expect(body).toMatchObject({ status: 401, err: { code: 'credential_missing' } });
    }
  });

  it('fails a wrong password with the text that the official client looks for', async () => {
    const body = JSON.stringify({ username: 'admin', password: 'wrong' });
    const answer = await api.fetch('/api/v1/user/login', { method: 'POST', body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 401, msg: 'incorrect login credentials' });
  });

  it('gives the query to the list it is for', async () => {
    const { token } = await api.admin.apiToken.create({ body: { name: 'one of many' } });
    const headers = { 'API-Token': token };
    for (const query of ['', '?', '?page_size=1', '?page_size=1&detail=1', '?page=2&page_size=1']) {
      const [plain, compat] = [
        await api.fetch(`/admin-api/api_token${query}`, { headers }),
        await api.fetch(`/api/v1/api_token${query}`, { headers }),
      ];
      expect(compat.body.data).toEqual(plain.body.data);
    }
  });

  it('has nothing else behind it', async () => {
    for (const path of [
      '',
      'nothing/here',
      'agents',
      'api/v1/user/me',
      'admin-api/user/me',
      '/user/me',
      'healthz',
      '%zz',
    ]) {
      const { status, body } = await api.fetch(`/api/v1/${path}`, { headers: { 'edge-token': api.adminToken } });
      expect([status, body.status, body.err.code], path).toEqual([200, 404, 'unknown_path']);
    }
    for (const path of ['/api/v1', '/api/v2/user/me', '/api/v1x/user/me', '/x/api/v1/user/me']) {
      expect((await api.fetch(path, { headers: { 'edge-token': api.adminToken } })).status, path).toBe(404);
    }
  });

  it('has the event stream, too', async () => {
    const response = await fetch(`${api.url}/api/v1/events`, { headers: { Auth: api.adminToken } });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await response.body?.cancel();
    const { status, body } = await api.fetch('/api/v1/events');
    expect([status, body.status]).toEqual([200, 401]);
  });

  it('answers HEAD without a body', async () => {
    const { status, body } = await api.fetch('/api/v1/user/me', { method: 'HEAD' });
    expect([status, body]).toEqual([200, undefined]);
  });
});

describe('/version', () => {
  it.each(['/version', '/version/'])('%s is the version of the prefix', async (path) => {
    const headers = { 'edge-token': api.adminToken };
    const { status, body } = await api.fetch(path, { headers });
    expect([status, body.status]).toEqual([200, 0]);
    expect(body.data).toEqual((await api.fetch('/admin-api/version', { headers })).body.data);
    expect(body.data).toEqual({ version: expect.any(Number), product_type: expect.any(String) });
    // It is outside the prefix, so it fails with its own status.
    expect((await api.fetch(path)).status).toBe(401);
    expect((await api.fetch(path, { method: 'POST' })).status).toBe(405);
  });
});
