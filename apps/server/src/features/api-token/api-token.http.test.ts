import { createClient } from '@quarterdeck/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, startApi, type TestApi } from '../../../test/start-api.ts';

const PATH = '/admin-api/api_token';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** An id that nothing has. */
const NO_ID = 2_147_483_647;
const FIELDS = ['id', 'name', 'expire', '_created_unix', '_modified_unix'];
/** Fields that detail=1 adds. */
const DETAILS = [
  ...['uid', 'username', 'token_tail', 'state', 'scopes', 'allowed_cidrs', 'grace_until'],
  ...['last_used', 'last_address', 'last_client'],
];

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** A request with a session, or as somebody else. */
async function ask(method: string, path: string, body?: unknown, token = api.adminToken): Promise<Answer> {
  return api.fetch(PATH + path, {
    method,
    headers: { 'edge-token': token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A refusal without the id of its request. */
const refusal = ({ status, body }: Answer) => {
  const { request_id: _, ...err } = body.err;
  return { http: status, status: body.status, msg: body.msg, err };
};

const withToken = (apiToken: string) => createClient({ url: api.url, apiToken, retries: 0 });

describe('POST /admin-api/api_token', () => {
  it('shows the secret exactly once', async () => {
    const made = await api.admin.apiToken.create({ body: { name: 'ci', expire: 0 } });
    expect(made.token).toMatch(/^qd_t_[0-9A-Za-z]{49}$/);
    const { body } = await ask('GET', `/${made.id}?detail=1`);
    expect(body.data).not.toHaveProperty('token');
    expect(body.data.token_tail).toBe(made.token.slice(-4));
    const me = await withToken(made.token).user.me();
    expect(me.credential).toEqual({ kind: 'api_token', id: made.id, expire: 0 });
  });

  it('returns the record, its secret and its owner', async () => {
    const { id, token } = await api.person('viewer');
    const before = api.now();
    const { status, body } = await ask('POST', '', { name: 'ci', expire: before + DAY_MS }, token);
    expect(status).toBe(200);
    expect(Object.keys(body.data).sort()).toEqual([...FIELDS, 'token', 'uid'].sort());
    expect(body.data).toMatchObject({ name: 'ci', expire: before + DAY_MS, uid: id });
    const { _created_unix, _modified_unix } = body.data;
    expect(_created_unix).toBeGreaterThanOrEqual(before / 1000);
    expect(_created_unix).toBeLessThanOrEqual(api.now() / 1000);
    expect(_modified_unix).toBe(_created_unix);
  });

  it('stores an absent name as empty and an absent expiry as never', async () => {
    for (const body of [{}, { name: null }, { expire: null }, { name: null, expire: null }, { unknown: 'field' }]) {
      const { body: answer } = await ask('POST', '', body);
      expect(answer.data).toMatchObject({ name: '', expire: 0, uid: 1 });
      const stored = await api.admin.apiToken.get({ params: { id: answer.data.id } });
      expect(stored).toMatchObject({ name: '', expire: 0 });
    }
  });

  it('accepts any text of up to 200 characters as a name, also twice', async () => {
    for (const name of [
      'x'.repeat(200),
      '\u{1f600}'.repeat(100),
      "'; DROP TABLE api_token; --",
      '\u202e\u0007\n',
      'x',
      'x',
    ]) {
      const { id } = await api.admin.apiToken.create({ body: { name } });
      expect((await api.admin.apiToken.get({ params: { id } })).name).toBe(name);
    }
    for (const name of ['x'.repeat(201), 'a\u0000b', 'a\ud800', 1, true, ['x'], {}]) {
      const { status, body } = await ask('POST', '', { name });
      expect([status, body.err.fields[0].path], JSON.stringify(name)).toEqual([400, 'body.name']);
    }
  });

  it('refuses an expiry in the past, and one in seconds with a hint', async () => {
    for (const expire of [api.now() - DAY_MS, api.now() - 1, 100_000_000_000]) {
      const { status, body } = await ask('POST', '', { expire });
      expect([status, body.err.fields]).toEqual([
        400,
        [{ path: 'body.expire', message: expect.stringContaining('future') }],
      ]);
    }
    for (const expire of [1, Math.floor(api.now() / 1000) + 60, 99_999_999_999]) {
      const { status, body } = await ask('POST', '', { expire });
      expect([status, body.err.fields]).toEqual([
        400,
        [{ path: 'body.expire', message: expect.stringContaining('milliseconds') }],
      ]);
    }
    for (const expire of [-1, 1.5, 2 ** 53, '0', true, [0]]) {
      const { status, body } = await ask('POST', '', { expire });
      expect([status, body.err.fields[0].path], JSON.stringify(expire)).toEqual([400, 'body.expire']);
    }
    for (const expire of [Number.MAX_SAFE_INTEGER, api.now() + 10_000]) {
      expect((await ask('POST', '', { expire })).body.data.expire).toBe(expire);
    }
  });

  it('stores nothing of the secret that could be used', async () => {
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    const row = await api.server.deps.db.read.prisma.apiToken.findUniqueOrThrow({ where: { id } });
    const stored = JSON.stringify({ ...row, tokenHash: Buffer.from(row.tokenHash).toString() }, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(stored).not.toContain(token.slice(5, -4));
    expect(row.tokenHash).toHaveLength(32);
    expect(api.logged.join('')).not.toContain(token);
  });

  it('gives parallel requests different secrets and ids', async () => {
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) => api.admin.apiToken.create({ body: { name: `${i}` } })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(30);
    expect(new Set(made.map(({ token }) => token)).size).toBe(30);
    for (const { id, token, name } of made) {
      expect((await withToken(token).user.me()).credential.id).toBe(id);
      expect((await api.admin.apiToken.get({ params: { id } })).name).toBe(name);
    }
  });
});

describe('GET /admin-api/api_token', () => {
  /** Somebody with tokens; some were made in the same millisecond. */
  async function owner(count: number) {
    const person = await api.person('viewer');
    const { db } = api.server.deps;
    const data = Array.from({ length: count }, (_, i) => {
      const createdMs = BigInt(1_700_000_000_000 + Math.floor((i * 7_919) % 40));
      const tokenHash = Uint8Array.from({ length: 32 }, (__, k) => (k < 4 ? person.id : i) >> ((k % 4) * 8));
      return { userId: person.id, name: `${i}`, tokenHash, tokenTail: 'tail', createdMs, modifiedMs: createdMs };
    });
    await db.write((tx) => tx.prisma.apiToken.createMany({ data }));
    const rows = await db.read.prisma.apiToken.findMany({ where: { userId: person.id } });
    const ids = rows.sort((a, b) => Number(b.createdMs - a.createdMs) || b.id - a.id).map(({ id }) => id);
    return { ...person, ids };
  }

  it('shows exactly the fields of the specification, and ours with detail=1', async () => {
    const person = await owner(2);
    for (const [query, fields] of [
      ['', FIELDS],
      ['?detail=0', FIELDS],
      ['?detail=', FIELDS],
      ['?detail=1', [...FIELDS, ...DETAILS]],
    ] as const) {
      const { body } = await ask('GET', query, undefined, person.token);
      expect(Object.keys(body).sort()).toEqual(['data', 'status', 'time']);
      expect(Object.keys(body.data).sort()).toEqual(['data', 'meta']);
      expect(body.data.meta).toEqual({ count: 2 });
      for (const row of body.data.data) expect(Object.keys(row).sort()).toEqual([...fields].sort());
      const one = await ask('GET', `/${person.ids[0]}${query}`, undefined, person.token);
      expect(one.body.data).toEqual(body.data.data[0]);
    }
    const { data } = await person.client.apiToken.list({ query: { detail: 1 } });
    expect(data[0]).toMatchObject({ uid: person.id, username: person.username, token_tail: 'tail' });
  });

  it('has pages of twenty, newest first, then by the higher id', async () => {
    const { client, ids } = await owner(45);
    for (const [page, size] of [
      [1, 20],
      [2, 20],
      [3, 5],
      [4, 0],
      [100_000, 0],
    ] as const) {
      const { data, meta } = await client.apiToken.list({ query: { page } });
      expect(meta).toEqual({ count: 45 });
      expect(data.map(({ id }) => id)).toEqual(ids.slice((page - 1) * 20, (page - 1) * 20 + size));
    }
    expect(await client.apiToken.list()).toEqual(await client.apiToken.list({ query: { page: 1, page_size: 20 } }));
  });

  it('answers page_size=0 with the count, and accepts up to 10000', async () => {
    const { client, token, ids } = await owner(3);
    expect(await client.apiToken.list({ query: { page_size: 0 } })).toEqual({ data: [], meta: { count: 3 } });
    expect((await client.apiToken.list({ query: { page_size: 10_000 } })).data.map(({ id }) => id)).toEqual(ids);
    expect((await client.apiToken.list({ query: { start: 1, end: 10_001 } })).data).toHaveLength(2);
    for (const [query, field] of [
      ['page_size=10001', 'page_size'],
      ['start=1&end=10002', 'end'],
      ['end=10001', 'end'],
      ['page_size=-1', 'page_size'],
      ['page=0', 'page'],
      ['page=x', 'page'],
      ['page=1.5', 'page'],
      ['page=1&page=2', 'page'],
      ['start=-1', 'start'],
      ['detail=2', 'detail'],
    ]) {
      const { status, body } = await ask('GET', `?${query}`, undefined, token);
      expect([status, body.err?.code, body.err?.fields?.map(({ path }: Answer) => path)], query).toEqual([
        400,
        'validation_failed',
        [`query.${field}`],
      ]);
    }
  });

  it('equals an array for any page or window', async () => {
    const { client, ids } = await owner(30);
    const small = fc.option(fc.nat(40), { nil: undefined });
    const query = fc.record({
      page: fc.option(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(2_147_483_647)), { nil: undefined }),
      page_size: fc.option(fc.oneof(fc.nat(12), fc.constant(10_000)), { nil: undefined }),
      start: small,
      end: small,
    });
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const { page = 1, page_size = 20, start, end } = asked;
        const from = start ?? (end === undefined ? (page - 1) * page_size : 0);
        const to = start === undefined && end === undefined ? from + page_size : (end ?? from + page_size);
        const { data, meta } = await client.apiToken.list({ query: asked });
        expect(meta).toEqual({ count: 30 });
        expect(data.map(({ id }) => id)).toEqual(ids.slice(from, Math.max(from, to)));
      }),
      { numRuns: 60 },
    );
  });

  it('treats empty values as absent and ignores unknown ones', async () => {
    const { token, ids } = await owner(2);
    const { body } = await ask('GET', '/?page=&page_size=&start=&end=&detail=&name=x&__proto__=1', undefined, token);
    expect(body.data.data.map(({ id }: Answer) => id)).toEqual(ids);
  });
});

describe('PUT /admin-api/api_token/{id}', () => {
  it('changes the given fields and keeps the rest', async () => {
    const expire = api.now() + DAY_MS;
    const made = await api.admin.apiToken.create({ body: { name: 'old', expire } });
    const get = () => api.admin.apiToken.get({ params: { id: made.id } });
    const { status, body } = await ask('PUT', `/${made.id}`, { name: 'new' });
    expect([status, body]).toEqual([200, { status: 0 }]);
    const renamed = await get();
    expect(renamed).toMatchObject({ name: 'new', expire, _created_unix: made._created_unix });
    expect(renamed._modified_unix).toBeGreaterThanOrEqual(made._modified_unix);
    await ask('PUT', `/${made.id}`, { expire: 0 });
    expect(await get()).toMatchObject({ name: 'new', expire: 0 });
    await ask('PUT', `/${made.id}/`, { name: '', expire: expire + 1, uid: 999, token: 'x', id: 1 });
    expect(await get()).toMatchObject({ id: made.id, name: '', expire: expire + 1 });
    // The secret is still the same.
    expect((await withToken(made.token).user.me()).id).toBe(1);
  });

  it('requires at least one of name and expire, both valid', async () => {
    const { id } = await api.admin.apiToken.create({ body: { name: 'stays' } });
    for (const [body, path] of [
      [{}, 'body'],
      [{ other: 1 }, 'body'],
      [[], 'body'],
      [{ name: null }, 'body.name'],
      [{ expire: null }, 'body.expire'],
      [{ name: 'x'.repeat(201) }, 'body.name'],
      [{ name: 'x', expire: api.now() - 1 }, 'body.expire'],
      [{ name: 'x', expire: 1_700_000_000 }, 'body.expire'],
    ] as const) {
      const { status, body: answer } = await ask('PUT', `/${id}`, body);
      expect([status, answer.err.fields.map((field: Answer) => field.path)], JSON.stringify(body)).toEqual([
        400,
        [path],
      ]);
    }
    expect(await api.admin.apiToken.get({ params: { id } })).toMatchObject({ name: 'stays', expire: 0 });
  });

  it('revives an expired token', async () => {
    const { id, token } = await api.admin.apiToken.create({ body: { expire: api.now() + MINUTE_MS } });
    const client = withToken(token);
    expect((await client.user.me()).credential.kind).toBe('api_token');
    api.advance(MINUTE_MS);
    await expect(client.user.me()).rejects.toMatchObject({ status: 401, code: 'token_expired' });
    // It still can be seen and renamed; that alone does not revive it.
    await api.admin.apiToken.update({ params: { id }, body: { name: 'late' } });
    await expect(client.user.me()).rejects.toMatchObject({ status: 401, code: 'token_expired' });
    await api.admin.apiToken.update({ params: { id }, body: { expire: api.now() + MINUTE_MS } });
    expect((await client.user.me()).credential.id).toBe(id);
    api.advance(MINUTE_MS);
    await expect(client.user.me()).rejects.toMatchObject({ code: 'token_expired' });
    await api.admin.apiToken.update({ params: { id }, body: { expire: 0 } });
    api.advance(MINUTE_MS);
    expect((await client.user.me()).credential.expire).toBe(0);
  });
});

describe('DELETE /admin-api/api_token/{id}', () => {
  it('ends the token for the next request', async () => {
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    const client = withToken(token);
    await client.user.me();
    const { status, body } = await ask('DELETE', `/${id}`);
    expect([status, body]).toEqual([200, { status: 0 }]);
    await expect(client.user.me()).rejects.toMatchObject({ status: 401, code: 'credential_invalid' });
    expect(refusal(await ask('DELETE', `/${id}`))).toEqual(refusal(await ask('DELETE', `/${NO_ID}`)));
    expect((await ask('GET', `/${id}`)).status).toBe(404);
    expect((await ask('PUT', `/${id}`, { expire: 0 })).status).toBe(404);
  });

  it('succeeds once of many parallel requests', async () => {
    const { id } = await api.admin.apiToken.create({ body: {} });
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('DELETE', `/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  });

  it('accepts the token itself', async () => {
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    await withToken(token).apiToken.remove({ params: { id } });
    await expect(withToken(token).user.me()).rejects.toMatchObject({ status: 401 });
  });

  it('reads no body', async () => {
    const { id } = await api.admin.apiToken.create({ body: {} });
    const init = {
      method: 'DELETE',
      headers: { 'edge-token': api.adminToken, 'Content-Type': 'text/plain' },
      body: '{',
    };
    expect((await api.fetch(`${PATH}/${id}`, init)).status).toBe(200);
  });
});

describe('the owner of a token', () => {
  it('sees their own tokens; those of others look like missing ones', async () => {
    const [one, two] = [await api.person('operator'), await api.person('viewer')];
    const own = await one.client.apiToken.create({ body: { name: 'own' } });
    const other = await two.client.apiToken.create({ body: { name: 'other' } });
    expect((await one.client.apiToken.list()).data.map(({ id }) => id)).toEqual([own.id]);
    expect((await two.client.apiToken.list()).meta).toEqual({ count: 1 });
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { name: 'stolen' }],
      ['PUT', { expire: 0 }],
      ['DELETE', undefined],
    ] as const) {
      const [foreign, missing] = [
        await ask(method, `/${other.id}`, body, one.token),
        await ask(method, `/${NO_ID}`, body, one.token),
      ];
      expect(foreign.status).toBe(404);
      expect(refusal(foreign)).toEqual(refusal(missing));
    }
    expect(await two.client.apiToken.get({ params: { id: other.id } })).toMatchObject({ name: 'other' });
    // By a token of theirs it is no different.
    const byToken = withToken(own.token).apiToken;
    await expect(byToken.get({ params: { id: other.id } })).rejects.toMatchObject({ status: 404 });
    expect((await byToken.list()).meta).toEqual({ count: 1 });
  });

  it('does not limit a master, who manages all tokens', async () => {
    const { client, token, id: uid } = await api.person('viewer');
    const made = await client.apiToken.create({ body: { name: 'theirs' } });
    const master = await api.person('master');
    const { data, meta } = await master.client.apiToken.list({ query: { page_size: 10_000, detail: 1 } });
    expect(data).toHaveLength(meta.count);
    expect(data.find(({ id }) => id === made.id)).toMatchObject({ uid, name: 'theirs' });
    await master.client.apiToken.update({ params: { id: made.id }, body: { name: 'seen' } });
    expect((await client.apiToken.get({ params: { id: made.id } })).name).toBe('seen');
    await master.client.apiToken.remove({ params: { id: made.id } });
    expect((await ask('GET', `/${made.id}`, undefined, token)).status).toBe(404);
  });

  it('gives a token no more than their own permissions, at any moment', async () => {
    const { client, id } = await api.person('operator');
    const { token } = await client.apiToken.create({ body: {} });
    const byToken = withToken(token);
    const register = () => byToken.agent.register({ body: { node_id: `of ${id}`, hostname: 'h' } });
    await register();
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.user.update({ where: { id }, data: { role: 'viewer' } }));
    await expect(register()).rejects.toMatchObject({ status: 403 });
    await db.write((tx) => tx.prisma.user.update({ where: { id }, data: { disabled: true } }));
    await expect(byToken.user.me()).rejects.toMatchObject({ status: 401 });
  });
});
