import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const login = (body: unknown, headers: Record<string, string> = {}) =>
  api.fetch('/admin-api/user/login', { method: 'POST', body: JSON.stringify(body), headers });

const me = (token: string) => api.fetch('/admin-api/user/me', { headers: { 'edge-token': token } });

/** A body without what differs from answer to answer. */
const lasting = ({ time: _, err, ...rest }: { time: number; err: { request_id: string } }) => ({
  ...rest,
  err: { ...err, request_id: '' },
});

describe('POST /admin-api/user/login', () => {
  it('answers with exactly the fields of the specification and of the official client', async () => {
    const { status, body } = await login({ username: 'admin', password: PASSWORD });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'msg', 'status', 'time']);
    expect(body).toMatchObject({ status: 0, msg: expect.any(String) });
    expect(Object.keys(body.data).sort()).toEqual([
      '_created_unix',
      '_modified_unix',
      'edge-token',
      'expire',
      'id',
      'login_2fa',
      'role',
      'token',
      'username',
    ]);
    expect(body.data._created_unix).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);
    expect(body.data._modified_unix).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);
    expect(body.data.token).toBe(body.data['edge-token']);
    expect(body.data).toMatchObject({ username: 'admin', role: 'master', login_2fa: {}, id: 1 });
  });

  it('gives a session of 8 hours, or of 31 days when asked to remember', async () => {
    const before = api.now();
    const short = await login({ username: 'admin', password: PASSWORD, remember: false });
    const long = await login({ username: 'admin', password: PASSWORD, remember: true });
    const after = api.now();
    expect(short.body.data.expire).toBeGreaterThanOrEqual(before + 8 * HOUR_MS);
    expect(short.body.data.expire).toBeLessThanOrEqual(after + 8 * HOUR_MS);
    expect(long.body.data.expire).toBeGreaterThanOrEqual(before + 31 * DAY_MS);
    expect(long.body.data.expire).toBeLessThanOrEqual(after + 31 * DAY_MS);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'reads JSON sent as %s',
    async (type) => {
      expect((await login({ username: 'admin', password: PASSWORD }, { 'content-type': type })).status).toBe(200);
    },
  );

  it('does not tell an unknown name from a wrong password or a disabled user', async () => {
    const person = await api.person('viewer');
    await api.server.deps.db.write((tx) =>
      tx.prisma.user.update({ where: { id: person.id }, data: { disabled: true } }),
    );
    const answers = [
      await login({ username: 'nobody-at-all', password: PASSWORD }),
      await login({ username: 'admin', password: 'not the password at all' }),
      await login({ username: person.username, password: PASSWORD }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body.msg).toBe('incorrect login credentials');
      expect(lasting(body)).toEqual(lasting(answers[0]?.body));
    }
  });

  it('takes the same password however the keyboard composes it', async () => {
    const { db, passwords } = api.server.deps;
    const passwordHash = await passwords.hash('crème brûlée for everyone'.normalize('NFD'));
    const times = { createdMs: BigInt(api.now()), modifiedMs: BigInt(api.now()) };
    await db.write((tx) =>
      tx.prisma.user.create({ data: { username: 'cook', passwordHash, role: 'viewer', ...times } }),
    );
    const { status } = await login({ username: 'cook', password: 'crème brûlée for everyone'.normalize('NFC') });
    expect(status).toBe(200);
  });

  it('knows no plugin but Builtin', async () => {
    expect((await login({ username: 'admin', password: PASSWORD, plugin: 'Builtin' })).status).toBe(200);
    const other = await login({ username: 'admin', password: PASSWORD, plugin: 'LDAP' });
    expect(other.status).toBe(400);
    expect(other.body.err.fields).toEqual([{ path: 'body.plugin', message: expect.any(String) }]);
  });

  it('stores no token and no password', async () => {
    const { body } = await login({ username: 'admin', password: PASSWORD });
    const rows = await api.server.deps.db.read.prisma.session.findMany();
    const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).not.toContain(body.data.token);
    expect(api.logged.join('')).not.toContain(body.data.token);
    expect(api.logged.join('')).not.toContain(PASSWORD);
  });
});

describe('a session', () => {
  it('is one of several, and ends alone', async () => {
    const first = (await login({ username: 'admin', password: PASSWORD })).body.data.token;
    const second = (await login({ username: 'admin', password: PASSWORD })).body.data.token;
    const out = await api.fetch('/admin-api/user/logout', { method: 'POST', headers: { 'edge-token': first } });
    expect(out.body).toEqual({ status: 0 });
    expect((await me(first)).status).toBe(401);
    expect((await me(second)).status).toBe(200);
  });

  it('is ended by GET too, for the very next request', async () => {
    const { token } = (await login({ username: 'admin', password: PASSWORD })).body.data;
    expect((await api.fetch('/admin-api/user/logout/', { headers: { Auth: token } })).body).toEqual({ status: 0 });
    const after = await me(token);
    expect(after.status).toBe(401);
    expect(after.body.err.code).toBe('credential_invalid');
  });

  it('is not ended by an API token', async () => {
    const { token } = await api.admin.apiToken.create({ body: {} });
    const answer = createClient({ url: api.url, apiToken: token }).user.logout();
    await expect(answer).rejects.toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('expires at its hour and not before', async () => {
    await using own = await startApi();
    const body = JSON.stringify({ username: 'admin', password: PASSWORD });
    const { token, expire } = (await own.fetch('/admin-api/user/login', { method: 'POST', body })).body.data;
    const ask = () => own.fetch('/admin-api/user/me', { headers: { 'edge-token': token } });
    own.advance(expire - own.now() - 5_000);
    expect((await ask()).status).toBe(200);
    own.advance(6_000);
    expect((await ask()).body.err.code).toBe('session_expired');
  });
});

describe('GET /admin-api/user/me', () => {
  it('says who this is, what they may do, and how they proved it', async () => {
    const viewer = await api.person('viewer');
    expect(await viewer.client.user.me()).toEqual({
      id: viewer.id,
      username: viewer.username,
      role: 'viewer',
      permissions: ['api_token:read', 'api_token:write', 'errlog:read', 'agent:read'],
      second_factor: false,
      must_set_up_second_factor: false,
      credential: { kind: 'session', id: expect.any(Number), expire: expect.any(Number) },
    });
  });
});
