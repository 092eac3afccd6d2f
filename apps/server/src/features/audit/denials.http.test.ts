import type { AuditEntry } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { useApi } from '../../../test/start-api.ts';

const api = useApi();

/** Waits for so many refusals of some callers, and returns those, the oldest first. */
async function deniedOf(count: number, ...actors: readonly Partial<AuditEntry['actor']>[]): Promise<AuditEntry[]> {
  const fits = ({ actor }: AuditEntry) =>
    actors.some((one) => Object.entries(one).every(([name, value]) => actor[name as keyof typeof actor] === value));
  const list = async () => {
    const { data } = await api.admin.audit.list({ query: { action: 'request.denied', page_size: 100 } });
    return data.filter(fits).toReversed();
  };
  await expect.poll(async () => (await list()).length).toBe(count);
  return list();
}

describe('a refusal', () => {
  it('is recorded once a minute for each caller and endpoint', async () => {
    const [viewer, other] = [await api.person('viewer'), await api.person('viewer')];
    const refuse = async ({ client }: typeof viewer) => {
      await expect(client.audit.list()).rejects.toMatchObject({ status: 403 });
    };
    for (let i = 0; i < 10; i += 1) await refuse(viewer);
    await expect(viewer.client.user.get({ params: { id: 1 } })).rejects.toMatchObject({ status: 403 });
    await refuse(other);
    const callers = [viewer, other].map(({ id }) => ({ kind: 'user' as const, id }));
    const entries = await deniedOf(3, ...callers);
    expect(entries.map(({ actor, detail }) => [actor.id, detail])).toEqual([
      [viewer.id, { method: 'GET', path: '/admin-api/audit', code: 'forbidden' }],
      [viewer.id, { method: 'GET', path: '/admin-api/user/{id}', code: 'forbidden' }],
      [other.id, { method: 'GET', path: '/admin-api/audit', code: 'forbidden' }],
    ]);
    expect(entries[0]?.actor).toMatchObject({ kind: 'user', name: viewer.username });
    expect(entries[0]?.actor.address).toMatch(/127\.0\.0\.1$/);

    api.advance(61_000);
    await refuse(viewer);
    await deniedOf(4, ...callers);
    expect((await api.admin.audit.verify()).intact).toBe(true);
  });

  it('is recorded from an address limit, a scope, the event stream, and a rule of a service', async () => {
    const { id: agentId, secret } = await api.agent();
    const far = await api.admin.apiToken.create({ body: { allowed_cidrs: ['192.0.2.0/24'] } });
    const narrow = await api.admin.apiToken.create({ body: { scopes: ['api_token:write', 'api_token:manage'] } });
    const ask = async (path: string, apiToken: string, method = 'GET') => {
      const headers = {
        ...{ 'API-Token': apiToken, 'Content-Type': 'application/json' },
        'X-Request-Id': `${method}-of-${path.length}`,
      };
      const { status, body } = await api.fetch(path, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
      return `${status} ${body.err.code}`;
    };
    const [me, events, rotate] = [
      '/admin-api/user/me',
      '/admin-api/events',
      `/admin-api/api_token/${far.id}/rotate`,
    ] as const;
    for (let i = 0; i < 3; i += 1) {
      expect(await ask(me, far.token)).toBe('403 address_not_allowed');
      expect(await ask(events, far.token)).toBe('403 address_not_allowed');
      expect(await ask(events, secret)).toBe('403 forbidden');
      expect(await ask(rotate, narrow.token, 'POST')).toBe('403 scope_missing');
      expect(await ask('/admin-api/audit', narrow.token)).toBe('403 scope_missing');
    }
    const ofToken = (id: number) => ({ kind: 'user' as const, credential: `api_token:${id}` });
    const ofAgent = { kind: 'agent' as const, id: agentId };
    const entries = await deniedOf(5, ofToken(far.id), ofToken(narrow.id), ofAgent);
    const byToken = (id: number) => ({ ...ofToken(id), id: 1, name: 'admin' });
    expect(entries).toMatchObject([
      { actor: byToken(far.id), request_id: 'GET-of-18', detail: { path: me, code: 'address_not_allowed' } },
      { actor: byToken(far.id), detail: { method: 'GET', path: events, code: 'address_not_allowed' } },
      { actor: ofAgent, detail: { method: 'GET', path: events, code: 'forbidden' } },
      {
        actor: byToken(narrow.id),
        request_id: `POST-of-${rotate.length}`,
        detail: { method: 'POST', path: '/admin-api/api_token/{id}/rotate', code: 'scope_missing' },
      },
      { actor: byToken(narrow.id), detail: { path: '/admin-api/audit', code: 'scope_missing' } },
    ]);
  });

  it('of an unknown caller is not recorded', async () => {
    const newest = async () => (await api.admin.audit.list()).data[0]?.id ?? 0;
    const before = await newest();
    expect((await api.fetch('/admin-api/audit')).status).toBe(401);
    expect((await api.fetch('/admin-api/audit', { headers: { 'API-Token': 'made up' } })).status).toBe(401);
    // A later refusal of a known caller is recorded, and nothing before it.
    const { id, client } = await api.person('viewer');
    await expect(client.audit.verify()).rejects.toMatchObject({ status: 403 });
    await deniedOf(1, { kind: 'user', id });
    const { data } = await api.admin.audit.list({ query: { page_size: 20 } });
    const since = data.filter((entry) => entry.id > before).map(({ action }) => action);
    expect(since.toReversed()).toEqual(['user.login', 'request.denied']);
  });
});
