import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';

const DAY_MS = 86_400_000;
const SPECIFIED = ['id', 'name', 'expire', '_created_unix', '_modified_unix'];

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const using = (apiToken: string) => createClient({ url: api.url, apiToken });
const detailsOf = (id: number) => api.admin.apiToken.get({ params: { id }, query: { detail: 1 } });
/** Audit entries about a token, oldest first. */
async function auditOf(id: number) {
  const rows = await api.server.deps.db.read.prisma.audit.findMany({
    where: { targetKind: 'api_token', targetId: id },
    orderBy: { id: 'asc' },
  });
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}

describe('POST /admin-api/api_token', () => {
  it('shows the secret exactly once', async () => {
    const made = await api.admin.apiToken.create({ body: { name: 'ci', expire: 0 } });
    expect(made.token).toMatch(/^qd_t_[0-9A-Za-z]{49}$/);
    const { body } = await api.fetch(`/admin-api/api_token/${made.id}?detail=1`, {
      headers: { 'edge-token': api.adminToken },
    });
    expect(body.data).not.toHaveProperty('token');
    expect(body.data.token_tail).toBe(made.token.slice(-4));
    expect((await using(made.token).user.me()).credential).toEqual({ kind: 'api_token', id: made.id, expire: 0 });
  });

  it('stores an absent name as empty and an absent expiry as never', async () => {
    const made = await api.admin.apiToken.create({ body: {} });
    expect(made).toMatchObject({ name: '', expire: 0, uid: 1 });
    expect(Object.keys(made).sort()).toEqual([...SPECIFIED, 'token', 'uid'].sort());
  });

  it('refuses an expiry in the past, and one in seconds with a hint', async () => {
    const past = api.admin.apiToken.create({ body: { name: 'x', expire: api.now() - DAY_MS } });
    await expect(past).rejects.toMatchObject({ status: 400, fields: [{ path: 'body.expire' }] });
    const seconds = api.admin.apiToken.create({ body: { name: 'x', expire: Math.floor(api.now() / 1000) + 60 } });
    await expect(seconds).rejects.toMatchObject({
      status: 400,
      fields: [{ path: 'body.expire', message: expect.stringContaining('milliseconds') }],
    });
  });
});

describe('one API token', () => {
  it('has exactly the fields of the specification without detail, in the list too', async () => {
    const { id } = await api.admin.apiToken.create({ body: { name: 'plain', scopes: ['agent:read'] } });
    expect(Object.keys(await api.admin.apiToken.get({ params: { id } })).sort()).toEqual([...SPECIFIED].sort());
    const { data } = await api.admin.apiToken.list({ query: { page_size: 5 } });
    for (const token of data) expect(Object.keys(token).sort()).toEqual([...SPECIFIED].sort());
  });

  it('has all fields with detail', async () => {
    const body = {
      name: 'all',
      scopes: ['agent:read', 'errlog:read'] as const,
      allowed_cidrs: ['192.0.2.0/24', '::1'],
    };
    const made = await api.admin.apiToken.create({ body: { ...body, scopes: [...body.scopes] } });
    expect(await detailsOf(made.id)).toEqual({
      ...{ id: made.id, name: 'all', expire: 0 },
      ...{ _created_unix: made._created_unix, _modified_unix: made._modified_unix },
      ...{ uid: 1, username: 'admin', token_tail: made.token.slice(-4), state: 'active' },
      ...{ scopes: ['errlog:read', 'agent:read'], allowed_cidrs: body.allowed_cidrs },
      ...{ last_used: null, last_address: '', last_client: '', grace_until: 0 },
    });
    const { id } = await api.admin.apiToken.create({ body: {} });
    expect(await detailsOf(id)).toMatchObject({ scopes: null, allowed_cidrs: [] });
  });

  it('is active, expiring, expired, alive again, and disabled before all else', async () => {
    await using own = await startApi();
    const { id } = await own.admin.apiToken.create({ body: { expire: own.now() + 10 * DAY_MS } });
    const state = async () => (await own.admin.apiToken.get({ params: { id }, query: { detail: 1 } })).state;
    // The session of the one who asks lasts 8 hours; these are about a token of 10 days.
    const moveTo = async (expireInMs: number) =>
      own.server.deps.db.write((tx) =>
        tx.prisma.apiToken.update({ where: { id }, data: { expireMs: BigInt(own.now() + expireInMs) } }),
      );
    expect(await state()).toBe('active');
    await moveTo(7 * DAY_MS - 1);
    expect(await state()).toBe('expiring');
    await moveTo(-1);
    expect(await state()).toBe('expired');
    await own.admin.apiToken.disable({ params: { id } });
    expect(await state()).toBe('disabled');
    await own.admin.apiToken.enable({ params: { id } });
    expect(await state()).toBe('expired');
    await own.admin.apiToken.update({ params: { id }, body: { expire: 0 } });
    expect(await state()).toBe('active');
    await own.admin.apiToken.update({ params: { id }, body: { expire: own.now() + DAY_MS } });
    expect(await state()).toBe('expiring');
  });

  it('works again when it is extended after it expired', async () => {
    const made = await api.admin.apiToken.create({ body: { expire: api.now() + 60_000 } });
    api.advance(60_001);
    await expect(using(made.token).user.me()).rejects.toMatchObject({ status: 401, code: 'token_expired' });
    await api.admin.apiToken.update({ params: { id: made.id }, body: { expire: api.now() + DAY_MS } });
    expect((await using(made.token).user.me()).username).toBe('admin');
  });

  it('does not exist for another user; a master manages all', async () => {
    const [owner, other] = [await api.person('operator'), await api.person('operator')];
    const { id } = await owner.client.apiToken.create({ body: { name: 'mine' } });
    const params = { id };
    const { apiToken } = other.client;
    for (const attempt of [
      () => apiToken.get({ params }),
      () => apiToken.update({ params, body: { name: 'x' } }),
      () => apiToken.rotate({ params, body: {} }),
      () => apiToken.disable({ params }),
      () => apiToken.enable({ params }),
      () => apiToken.remove({ params }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ status: 404, code: 'not_found' });
    }
    expect((await apiToken.list()).meta.count).toBe(0);
    expect(await detailsOf(id)).toMatchObject({ uid: owner.id, username: owner.username, state: 'active' });
    await api.admin.apiToken.remove({ params });
    await expect(owner.client.apiToken.remove({ params })).rejects.toMatchObject({ status: 404 });
  });
});

describe('an API token about itself', () => {
  it('sees its own record; a session sees none', async () => {
    const made = await api.admin.apiToken.create({ body: { name: 'me', scopes: [] } });
    expect(await using(made.token).apiToken.self()).toMatchObject({ id: made.id, name: 'me', scopes: [], uid: 1 });
    await expect(api.admin.apiToken.self()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('can end itself, whatever its scopes', async () => {
    const made = await api.admin.apiToken.create({ body: { scopes: [] } });
    await using(made.token).apiToken.removeSelf();
    await expect(using(made.token).apiToken.self()).rejects.toMatchObject({ status: 401, code: 'credential_invalid' });
    await expect(detailsOf(made.id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('the longest expiry of a token', () => {
  it('refuses a later expiry with a hint', async () => {
    await using own = await startApi({ TOKEN_MAX_DAYS: '30' });
    const refused = { status: 400, fields: [{ path: 'body.expire', message: expect.stringContaining('30 days') }] };
    const { apiToken } = own.admin;
    for (const body of [{}, { expire: 0 }, { expire: null }, { expire: own.now() + 31 * DAY_MS }]) {
      await expect(apiToken.create({ body })).rejects.toMatchObject(refused);
    }
    const { id } = await apiToken.create({ body: { expire: own.now() + 29 * DAY_MS } });
    for (const expire of [0, own.now() + 31 * DAY_MS]) {
      await expect(apiToken.update({ params: { id }, body: { expire } })).rejects.toMatchObject(refused);
    }
    await apiToken.update({ params: { id }, body: { name: 'only the name' } });
    const error = await apiToken.create({ body: {} }).catch((caught: { fields: { message: string }[] }) => caught);
    const named = Number(/\((\d+)\)/.exec((error as { fields: { message: string }[] }).fields[0]?.message ?? '')?.[1]);
    expect((await apiToken.create({ body: { expire: named } })).expire).toBe(named);
  });
});

describe('the audit log', () => {
  it('records every change of a token, before and after', async () => {
    const expire = api.now() + DAY_MS;
    const made = await api.admin.apiToken.create({ body: { name: 'a', scopes: ['agent:read'] } });
    const params = { id: made.id };
    await api.admin.apiToken.update({ params, body: { name: 'b', expire } });
    await api.admin.apiToken.rotate({ params, body: { grace: 60 } });
    await api.admin.apiToken.disable({ params });
    // Nothing changes, so there is nothing to tell.
    await api.admin.apiToken.disable({ params });
    await api.admin.apiToken.enable({ params });
    await api.admin.apiToken.remove({ params });
    const entries = await auditOf(made.id);
    expect(entries.map(({ action }) => action)).toEqual(
      ['create', 'update', 'rotate', 'disable', 'enable', 'delete'].map((verb) => `api_token.${verb}`),
    );
    const [created, updated, rotated, disabled, , deleted] = entries;
    expect(created).toMatchObject({ actorName: 'admin', address: '127.0.0.1' });
    expect(created?.detail).toEqual({
      after: { name: 'a', expire: 0, uid: 1, scopes: ['agent:read'], allowed_cidrs: [] },
    });
    expect(updated?.detail).toEqual({ before: { name: 'a', expire: 0 }, after: { name: 'b', expire } });
    expect(rotated?.detail.grace_until).toBeGreaterThan(api.now());
    expect(disabled?.detail).toEqual({ before: { disabled: false }, after: { disabled: true } });
    expect(deleted?.detail).toMatchObject({ before: { name: 'b', expire } });
  });

  it('records no refused change', async () => {
    const { id } = await api.admin.apiToken.create({ body: {} });
    await expect(api.admin.apiToken.update({ params: { id }, body: { expire: 123 } })).rejects.toThrow();
    expect(await auditOf(id)).toHaveLength(1);
  });
});
