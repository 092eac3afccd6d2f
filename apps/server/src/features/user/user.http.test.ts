import { type LoginResult, SECRET_PATTERN } from '@quarterdeck/core';
import { signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { type Answer, PASSWORD, useApi } from '../../../test/start-api.ts';

const LOGIN = '/admin-api/user/login';
const LOGOUT = '/admin-api/user/logout';
const ME = '/admin-api/user/me';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const api = useApi();

async function login(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return api.fetch(LOGIN, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

const meWith = (token: string): Promise<Answer> => api.fetch(ME, { headers: { 'edge-token': token } });

async function outcome(token: string): Promise<string> {
  const { status, body } = await meWith(token);
  return status === 200 ? `200 ${body.data.username}` : `${status} ${body.err.code}`;
}

/** Makes a user with any name. */
async function makeUser(username: string): Promise<number> {
  const { db, passwords } = api.server.deps;
  const passwordHash = await passwords.hash(PASSWORD);
  const times = { createdMs: BigInt(api.now()), modifiedMs: BigInt(api.now() + 1) };
  const { id } = await db.write((tx) =>
    tx.prisma.user.create({ data: { username, passwordHash, role: 'viewer', ...times } }),
  );
  return id;
}

describe('POST /admin-api/user/login', () => {
  it('returns exactly the fields that the specification and the official client read', async () => {
    const { id, username } = await api.person('operator');
    const before = api.now();
    const { status, body } = await login({ username, password: PASSWORD });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'msg', 'status', 'time']);
    expect(body).toMatchObject({ status: 0, msg: 'login success' });
    const data: LoginResult & { token: string } = body.data;
    expect(Object.keys(data).sort()).toEqual(
      [
        '_created_unix',
        '_modified_unix',
        'username',
        'edge-token',
        'id',
        'role',
        'login_2fa',
        'token',
        'expire',
      ].sort(),
    );
    expect(data).toMatchObject({ username, id, role: 'operator', login_2fa: {} });
    expect(data['edge-token']).toMatch(SECRET_PATTERN);
    expect(data['edge-token']).toMatch(/^qd_s_/);
    expect(data.token).toBe(data['edge-token']);
    expect(data.expire).toBeGreaterThanOrEqual(before + 8 * HOUR_MS);
    expect(data.expire).toBeLessThanOrEqual(api.now() + 8 * HOUR_MS);
    expect(await outcome(data.token)).toBe(`200 ${username}`);
  });

  it('writes dates in UTC with six digits of fraction', async () => {
    const username = 'dated';
    const id = await makeUser(username);
    const createdMs = BigInt(Date.UTC(2026, 0, 31, 9, 5, 7, 123));
    const modifiedMs = BigInt(Date.UTC(1999, 11, 31, 23, 59, 59, 0));
    await api.server.deps.db.write((tx) => tx.prisma.user.update({ where: { id }, data: { createdMs, modifiedMs } }));
    const { body } = await login({ username, password: PASSWORD });
    expect(body.data).toMatchObject({
      _created_unix: '2026-01-31 09:05:07.123000',
      _modified_unix: '1999-12-31 23:59:59.000000',
    });
  });

  it('reads its body as JSON with any Content-Type, and without one', async () => {
    const { username } = await api.person('viewer');
    // Unknown fields are ignored.
    const text = JSON.stringify({ username, password: PASSWORD, plugin: 'Builtin', captcha: 1, role: 'master' });
    for (const type of ['text/plain', 'nonsense', '']) {
      expect((await login(text, { 'Content-Type': type })).status, type).toBe(200);
    }
    // No Content-Type at all; fetch would add one to text.
    const bytes = await api.fetch(LOGIN, { method: 'POST', body: new TextEncoder().encode(text) });
    expect(bytes.status).toBe(200);
    expect((await login('username=admin', { 'Content-Type': 'text/plain' })).body.err.code).toBe('malformed_json');
  });

  it('answers the same for an unknown name, a wrong password and a disabled user', async () => {
    const disabled = await makeUser('disabled');
    await api.server.deps.db.write((tx) =>
      tx.prisma.user.update({ where: { id: disabled }, data: { disabled: true } }),
    );
    const known = await api.person('master');
    const answers = [
      await login({ username: 'nobody is called this', password: PASSWORD }),
      await login({ username: known.username, password: `${PASSWORD}x` }),
      await login({ username: known.username.toUpperCase(), password: PASSWORD }),
      await login({ username: ` ${known.username}`, password: PASSWORD }),
      await login({ username: `${known.username}%`, password: PASSWORD }),
      await login({ username: 'disabled', password: PASSWORD }),
      await login({ username: "' OR 1=1 --", password: "' OR 1=1 --" }),
      await login({ username: known.username, password: 'x'.repeat(1024) }),
      await login({ username: known.username, password: '\u0000\ud800' }),
    ];
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401);
      expect(body.msg).toBe('incorrect login credentials');
      expect(body).toEqual({
        status: 401,
        msg: 'incorrect login credentials',
        time: expect.any(Number),
        err: { code: 'login_failed', request_id: headers.get('x-request-id') },
      });
    }
    // Nothing else tells them apart either: the same headers, of the same length.
    const heads = answers.map(({ headers }) =>
      JSON.stringify([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))),
    );
    expect(new Set(heads).size).toBe(1);
  });

  it('accepts a name in every Unicode form', async () => {
    const name = 'Jos\u00e9';
    await makeUser(name);
    for (const username of [name, name.normalize('NFD')]) {
      expect((await login({ username, password: PASSWORD })).body.data?.username).toBe(name);
    }
  });
});

describe('GET and POST /admin-api/user/logout', () => {
  it.each(['GET', 'POST'])('by %s ends the session for the next request, and no other one', async (method) => {
    const { username, token } = await api.person('viewer');
    const other = (await login({ username, password: PASSWORD })).body.data.token;
    const { status, body } = await api.fetch(LOGOUT, { method, headers: { 'edge-token': token } });
    expect([status, body]).toEqual([200, { status: 0 }]);
    expect(await outcome(token)).toBe('401 credential_invalid');
    expect(await outcome(other)).toBe(`200 ${username}`);
    const again = await api.fetch(LOGOUT, { method, headers: { 'edge-token': token } });
    expect(again.status).toBe(401);
  });
});

describe('GET /admin-api/user/me', () => {
  it('returns the user, the permissions and the credential of the request', async () => {
    const { client, id, username, token } = await api.person('viewer');
    const { body } = await meWith(token);
    expect(body.data).toEqual({
      id,
      username,
      role: 'viewer',
      permissions: ['api_token:read', 'api_token:write', 'errlog:read', 'agent:read', 'alert:read', 'metrics:read'],
      second_factor: false,
      must_set_up_second_factor: false,
      credential: { kind: 'session', id: expect.any(Number), expire: expect.any(Number) },
    });
    const made = await client.apiToken.create({ body: { expire: api.now() + DAY_MS } });
    const byToken = await api.using(made.token).user.me();
    expect(byToken).toEqual({
      ...body.data,
      credential: { kind: 'api_token', id: made.id, expire: made.expire },
    });
  });
});

describe('sessions', () => {
  it('end after 8 hours, also when used', async () => {
    const { token, username } = await api.person('viewer');
    api.advance(4 * HOUR_MS);
    expect(await outcome(token)).toBe(`200 ${username}`);
    api.advance(4 * HOUR_MS - MINUTE_MS);
    expect(await outcome(token)).toBe(`200 ${username}`);
    api.advance(MINUTE_MS);
    expect(await outcome(token)).toBe('401 session_expired');
  });

  it('end after 31 days with remember', async () => {
    const { username } = await api.person('viewer');
    const { login: signed } = await signIn({ url: api.url, username, password: PASSWORD, remember: true });
    api.advance(31 * DAY_MS - MINUTE_MS);
    expect(await outcome(signed.token)).toBe(`200 ${username}`);
    api.advance(MINUTE_MS);
    expect(await outcome(signed.token)).toBe('401 session_expired');
  });

  it('are deleted a day after their end', async () => {
    const { id, username, token } = await api.person('viewer');
    const remembered = (await login({ username, password: PASSWORD, remember: true })).body.data.token;
    const count = () => api.server.deps.db.read.prisma.session.count({ where: { userId: id } });
    api.advance(8 * HOUR_MS);
    await api.server.jobs.runAll();
    expect(await count()).toBe(2);
    expect(await outcome(token)).toBe('401 session_expired');
    api.advance(DAY_MS);
    await api.server.jobs.runAll();
    expect(await count()).toBe(1);
    expect(await outcome(token)).toBe('401 credential_invalid');
    expect(await outcome(remembered)).toBe(`200 ${username}`);
  });
});
