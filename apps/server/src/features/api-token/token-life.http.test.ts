import { describe, expect, it } from 'vitest';
import { startApi, useApi } from '../../../test/start-api.ts';

const DAY_MS = 86_400_000;

const api = useApi();

const detailsOf = (id: number) => api.admin.apiToken.get({ params: { id }, query: { detail: 1 } });
/** Audit entries about a token, oldest first. */
async function auditOf(id: number) {
  const rows = await api.server.deps.db.read.prisma.audit.findMany({
    where: { targetKind: 'api_token', targetId: id },
    orderBy: { id: 'asc' },
  });
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}

describe('one API token', () => {
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
});

describe('an API token about itself', () => {
  it('sees its own record; a session sees none', async () => {
    const made = await api.admin.apiToken.create({ body: { name: 'me', scopes: [] } });
    expect(await api.using(made.token).apiToken.self()).toMatchObject({ id: made.id, name: 'me', scopes: [], uid: 1 });
    await expect(api.admin.apiToken.self()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('can end itself, whatever its scopes', async () => {
    const made = await api.admin.apiToken.create({ body: { scopes: [] } });
    await api.using(made.token).apiToken.removeSelf();
    await expect(api.using(made.token).apiToken.self()).rejects.toMatchObject({
      status: 401,
      code: 'credential_invalid',
    });
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
