import { createClient } from '@quarterdeck/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { NO_ID } from '../../../test/callers.ts';
import { type Answer, useApi } from '../../../test/start-api.ts';

const PATH = '/admin-api/api_token';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FIELDS = ['id', 'name', 'expire', '_created_unix', '_modified_unix'];
/** Fields that detail=1 adds. */
const DETAILS = [
  ...['uid', 'username', 'token_tail', 'state', 'scopes', 'allowed_cidrs', 'grace_until'],
  ...['last_used', 'last_address', 'last_client', 'unused'],
];

const api = useApi();

/** A request with a session, or as somebody else. */
const ask = (method: string, path: string, body?: unknown, token = api.adminToken): Promise<Answer> =>
  api.ask(method, PATH + path, body, { 'edge-token': token });

/** A refusal without the id of its request. */
const refusal = ({ status, body }: Answer) => {
  const { request_id: _, ...err } = body.err;
  return { http: status, status: body.status, msg: body.msg, err };
};

const withToken = (apiToken: string) => createClient({ url: api.url, apiToken, retries: 0 });

describe('POST /admin-api/api_token', () => {
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

  it('accepts any text of up to 200 characters as a name, also twice, without its hidden characters', async () => {
    for (const [name, stored = name] of [
      ['x'.repeat(200)],
      ['\u{1f600}'.repeat(100)],
      ["'; DROP TABLE api_token; --"],
      ['\u202e\u0007\n', ''],
      ['x\u200b \u2066y', 'x y'],
      ['x'],
      ['x'],
    ] as const) {
      const { id } = await api.admin.apiToken.create({ body: { name } });
      expect((await api.admin.apiToken.get({ params: { id } })).name).toBe(stored);
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
    for (const expire of [Number.MAX_SAFE_INTEGER, api.now() + 10_000]) {
      expect((await ask('POST', '', { expire })).body.data.expire).toBe(expire);
    }
  });

  it('gives parallel requests different secrets and ids', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) => api.admin.apiToken.create({ body: { name: `${i}` } })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(10);
    expect(new Set(made.map(({ token }) => token)).size).toBe(10);
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
      { numRuns: atMost(15, 60) },
    );
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
  it('ends the token for the next request, as disabling it does until it is enabled', async () => {
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    const client = withToken(token);
    await api.admin.apiToken.disable({ params: { id } });
    await expect(client.user.me()).rejects.toMatchObject({ status: 401, code: 'credential_invalid' });
    await api.admin.apiToken.enable({ params: { id } });
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
});

describe('the owner of a token', () => {
  it('sees their own tokens; those of others look like missing ones', async () => {
    const [one, two] = [await api.person('operator'), await api.person('viewer')];
    const own = await one.client.apiToken.create({ body: { name: 'own' } });
    const other = await two.client.apiToken.create({ body: { name: 'other' } });
    expect((await one.client.apiToken.list()).data.map(({ id }) => id)).toEqual([own.id]);
    expect((await two.client.apiToken.list()).meta).toEqual({ count: 1 });
    const [foreign, missing] = [
      await ask('GET', `/${other.id}`, undefined, one.token),
      await ask('GET', `/${NO_ID}`, undefined, one.token),
    ];
    expect(foreign.status).toBe(404);
    expect(refusal(foreign)).toEqual(refusal(missing));
    // By a token of theirs it is no different.
    const byToken = withToken(own.token).apiToken;
    await expect(byToken.get({ params: { id: other.id } })).rejects.toMatchObject({ status: 404 });
    expect((await byToken.list()).meta).toEqual({ count: 1 });
  });
});
