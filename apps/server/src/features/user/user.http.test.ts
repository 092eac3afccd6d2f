import { type LoginResult, SECRET_PATTERN } from '@quarterdeck/core';
import { createClient, signIn } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';

const LOGIN = '/admin-api/user/login';
const LOGOUT = '/admin-api/user/logout';
const ME = '/admin-api/user/me';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

async function login(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return api.fetch(LOGIN, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

const meWith = (token: string): Promise<Answer> => api.fetch(ME, { headers: { 'edge-token': token } });

async function outcome(token: string): Promise<string> {
  const { status, body } = await meWith(token);
  return status === 200 ? `200 ${body.data.username}` : `${status} ${body.err.code}`;
}

/** Makes a user with any name and password. */
async function makeUser(username: string, password = PASSWORD, role = 'viewer'): Promise<number> {
  const { db, passwords } = api.server.deps;
  const passwordHash = await passwords.hash(password);
  const times = { createdMs: BigInt(api.now()), modifiedMs: BigInt(api.now() + 1) };
  const { id } = await db.write((tx) => tx.prisma.user.create({ data: { username, passwordHash, role, ...times } }));
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
    const data: LoginResult = body.data;
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

  it('lasts 8 hours, and 31 days with remember', async () => {
    const { username } = await api.person('viewer');
    for (const [remember, lifeMs] of [
      [undefined, 8 * HOUR_MS],
      [null, 8 * HOUR_MS],
      [false, 8 * HOUR_MS],
      [true, 31 * DAY_MS],
    ] as const) {
      const before = api.now();
      const { body } = await login({ username, password: PASSWORD, remember });
      expect(body.data.expire - before).toBeGreaterThanOrEqual(lifeMs);
      expect(body.data.expire - api.now()).toBeLessThanOrEqual(lifeMs);
      expect((await meWith(body.data.token)).body.data.credential).toMatchObject({
        kind: 'session',
        expire: body.data.expire,
      });
    }
  });

  it('reads its body as JSON with any Content-Type, and without one', async () => {
    const { username } = await api.person('viewer');
    const text = JSON.stringify({ username, password: PASSWORD });
    for (const type of [
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'image/png',
      'nonsense',
      '',
    ]) {
      expect((await login(text, { 'Content-Type': type })).status, type).toBe(200);
    }
    // No Content-Type at all; fetch would add one to text.
    const bytes = await api.fetch(LOGIN, { method: 'POST', body: new TextEncoder().encode(text) });
    expect(bytes.status).toBe(200);
    expect((await login('username=admin', { 'Content-Type': 'text/plain' })).body.err.code).toBe('malformed_json');
  });

  it('ignores unknown fields', async () => {
    const { username } = await api.person('viewer');
    const { status } = await login({
      username,
      password: PASSWORD,
      plugin: 'Builtin',
      otp: '',
      captcha: 1,
      role: 'master',
    });
    expect(status).toBe(200);
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
      await login({ username: known.username, password: PASSWORD.toUpperCase() }),
      await login({ username: known.username.toUpperCase(), password: PASSWORD }),
      await login({ username: ` ${known.username}`, password: PASSWORD }),
      await login({ username: `${known.username}%`, password: PASSWORD }),
      await login({ username: 'disabled', password: PASSWORD }),
      await login({ username: 'disabled', password: 'wrong' }),
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

  it('requires a name and a password, as text', async () => {
    const good = { username: 'admin', password: PASSWORD };
    for (const [body, fields] of [
      [{}, ['username', 'password']],
      [{ username: 'admin' }, ['password']],
      [{ password: PASSWORD }, ['username']],
      [{ ...good, username: null }, ['username']],
      [{ ...good, username: '' }, ['username']],
      [{ ...good, username: 7 }, ['username']],
      [{ ...good, username: ['admin'] }, ['username']],
      [{ ...good, username: 'x'.repeat(256) }, ['username']],
      [{ ...good, username: 'admin\u0000' }, ['username']],
      [{ ...good, username: 'admin\udfff' }, ['username']],
      [{ ...good, password: null }, ['password']],
      [{ ...good, password: '' }, ['password']],
      [{ ...good, password: { length: 20 } }, ['password']],
      [{ ...good, password: 'x'.repeat(1025) }, ['password']],
      [{ ...good, remember: 'true' }, ['remember']],
      [{ ...good, remember: 1 }, ['remember']],
      [{ ...good, plugin: 'LDAP' }, ['plugin']],
      [{ ...good, plugin: 'builtin' }, ['plugin']],
      [{ ...good, plugin: '' }, ['plugin']],
    ] as const) {
      const { status, body: answer } = await login(body);
      expect([status, answer.err?.code], JSON.stringify(body)).toEqual([400, 'validation_failed']);
      const paths = answer.err.fields.map(({ path }: Answer) => path);
      expect([...new Set(paths)]).toEqual(fields.map((field) => `body.${field}`));
      expect(JSON.stringify(answer)).not.toContain(PASSWORD);
    }
    for (const body of ['null', '[]', '"admin"', '1']) {
      expect((await login(body)).body.err.fields[0].path).toBe('body');
    }
    expect((await login({ ...good, plugin: null })).status).toBe(200);
  });

  it('accepts a password in every Unicode form', async () => {
    const composed = 'p\u00e4ssw\u00f6rt mit \u00e9toile';
    const decomposed = composed.normalize('NFD');
    expect(decomposed).not.toBe(composed);
    await makeUser('composed', composed);
    await makeUser('decomposed', decomposed);
    for (const username of ['composed', 'decomposed']) {
      for (const password of [composed, decomposed]) expect((await login({ username, password })).status).toBe(200);
      // Looking alike is not being the same.
      expect((await login({ username, password: composed.replace('e', '\u0435') })).status).toBe(401);
      expect((await login({ username, password: composed.normalize('NFKD').replace('\u0308', '') })).status).toBe(401);
    }
  });

  it('accepts a name in every Unicode form', async () => {
    const name = 'Jos\u00e9';
    await makeUser(name);
    for (const username of [name, name.normalize('NFD')]) {
      expect((await login({ username, password: PASSWORD })).body.data?.username).toBe(name);
    }
  });

  it('does not truncate a long password', async () => {
    const long = 'x'.repeat(200);
    await makeUser('long', long);
    expect((await login({ username: 'long', password: long })).status).toBe(200);
    expect((await login({ username: 'long', password: long.slice(0, -1) })).status).toBe(401);
    expect((await login({ username: 'long', password: `${long}x` })).status).toBe(401);
  });

  it('accepts all of many parallel right sign-ins', async () => {
    const { username } = await api.person('viewer');
    const answers = await Promise.all(Array.from({ length: 20 }, () => login({ username, password: PASSWORD })));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('answers a burst of sign-ins, or asks to wait', async () => {
    await using own = await startApi();
    const { username } = await own.person('viewer');
    const ask = (password: string) =>
      own.fetch(LOGIN, { method: 'POST', body: JSON.stringify({ username, password }) });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(i % 2 === 0 ? PASSWORD : 'wrong')));
    for (const [i, { status, headers, body }] of answers.entries()) {
      if (status === 503 || status === 429) {
        expect(body.err.code).toBe(status === 503 ? 'overloaded' : 'too_many_requests');
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      } else expect(status).toBe(i % 2 === 0 ? 200 : 401);
    }
    own.advance(16 * 60_000);
    expect((await ask(PASSWORD)).status).toBe(200);
  });

  it('logs no password and no token', async () => {
    const { username } = await api.person('viewer');
    const { body } = await login({ username, password: PASSWORD });
    await login({ username, password: 'a wrong but secret one' });
    const log = api.logged.join('');
    expect(log).toContain(LOGIN);
    for (const secret of [PASSWORD, 'a wrong but secret one', body.data.token]) expect(log).not.toContain(secret);
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

  it('refuses API tokens', async () => {
    const { token } = await api.admin.apiToken.create({ body: {} });
    const { status, body } = await api.fetch(LOGOUT, { method: 'POST', headers: { 'API-Token': token } });
    expect([status, body.err.code]).toEqual([403, 'forbidden']);
    expect((await createClient({ url: api.url, apiToken: token }).user.me()).username).toBe('admin');
  });

  it('accepts parallel requests', async () => {
    const { token } = await api.person('viewer');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.fetch(LOGOUT, { method: 'POST', headers: { 'edge-token': token } })),
    );
    for (const { status } of answers) expect([200, 401]).toContain(status);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await outcome(token)).toBe('401 credential_invalid');
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
    const byToken = await createClient({ url: api.url, apiToken: made.token }).user.me();
    expect(byToken).toEqual({
      ...body.data,
      credential: { kind: 'api_token', id: made.id, expire: made.expire },
    });
  });
});

describe('sessions', () => {
  it('are independent of each other', async () => {
    const { username } = await api.person('viewer');
    const tokens: string[] = [];
    for (let i = 0; i < 12; i += 1) tokens.push((await login({ username, password: PASSWORD })).body.data.token);
    expect(new Set(tokens).size).toBe(12);
    const ids = await Promise.all(tokens.map(async (token) => (await meWith(token)).body.data.credential.id));
    expect(new Set(ids).size).toBe(12);
  });

  it('of a disabled user are refused at the next request, and work again when enabled', async () => {
    const { id, token, username } = await api.person('viewer');
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.user.update({ where: { id }, data: { disabled: true } }));
    expect(await outcome(token)).toBe('401 credential_invalid');
    await db.write((tx) => tx.prisma.user.update({ where: { id }, data: { disabled: false } }));
    expect(await outcome(token)).toBe(`200 ${username}`);
  });

  it('are stored without their tokens', async () => {
    const { id, token } = await api.person('viewer');
    const rows = await api.server.deps.db.read.prisma.session.findMany({ where: { userId: id } });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.tokenHash).toHaveLength(32);
    expect(Buffer.from(rows[0]?.tokenHash ?? []).toString('latin1')).not.toContain(token.slice(5, 15));
  });

  // These move the clock, so they come last.
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
