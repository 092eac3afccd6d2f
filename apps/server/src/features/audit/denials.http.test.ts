import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { startApi } from '../../../test/start-api.ts';

describe('a refusal', () => {
  it('is recorded once a minute for each caller and endpoint', async () => {
    await using own = await startApi();
    const denied = async () => (await own.admin.audit.list({ query: { action: 'request.denied' } })).data;
    const [viewer, other] = [await own.person('viewer'), await own.person('viewer')];
    const refuse = async ({ client }: typeof viewer) => {
      await expect(client.audit.list()).rejects.toMatchObject({ status: 403 });
    };
    for (let i = 0; i < 10; i += 1) await refuse(viewer);
    await expect(viewer.client.user.get({ params: { id: 1 } })).rejects.toMatchObject({ status: 403 });
    await refuse(other);
    await expect.poll(async () => (await denied()).length).toBe(3);
    const entries = (await denied()).toReversed();
    expect(entries.map(({ actor, detail }) => [actor.id, detail])).toEqual([
      [viewer.id, { method: 'GET', path: '/admin-api/audit', code: 'forbidden' }],
      [viewer.id, { method: 'GET', path: '/admin-api/user/{id}', code: 'forbidden' }],
      [other.id, { method: 'GET', path: '/admin-api/audit', code: 'forbidden' }],
    ]);
    expect(entries[0]?.actor).toMatchObject({ kind: 'user', name: viewer.username });
    expect(entries[0]?.actor.address).toMatch(/127\.0\.0\.1$/);

    own.advance(61_000);
    await refuse(viewer);
    await expect.poll(async () => (await denied()).length).toBe(4);
    expect((await own.admin.audit.verify()).intact).toBe(true);
  });

  it('is recorded for an agent and for an API token', async () => {
    await using own = await startApi();
    const agent = await own.agent();
    await expect(agent.client.audit.list()).rejects.toMatchObject({ status: 403 });
    const { id, token } = await own.admin.apiToken.create({ body: { scopes: ['errlog:read'] } });
    const client = createClient({ url: own.url, apiToken: token });
    await expect(client.audit.list()).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    const list = () => own.admin.audit.list({ query: { action: 'request.denied' } });
    await expect.poll(async () => (await list()).meta.count).toBe(2);
    const [byToken, byAgent] = (await list()).data;
    expect(byAgent?.actor).toMatchObject({ kind: 'agent', id: agent.id });
    expect(byToken).toMatchObject({
      actor: { id: 1, credential: `api_token:${id}` },
      detail: { code: 'scope_missing' },
    });
  });

  it('is recorded from an address limit, the event stream, and a rule of a service', async () => {
    await using own = await startApi();
    const { id: agentId, secret } = await own.agent();
    const far = await own.admin.apiToken.create({ body: { allowed_cidrs: ['192.0.2.0/24'] } });
    const narrow = await own.admin.apiToken.create({ body: { scopes: ['api_token:write', 'api_token:manage'] } });
    const ask = async (path: string, apiToken: string, method = 'GET') => {
      const id = `${method}-of-${path.length}`;
      const headers = { 'API-Token': apiToken, 'X-Request-Id': id, 'Content-Type': 'application/json' };
      const { status, body } = await own.fetch(path, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
      return `${status} ${body.err.code}`;
    };
    const rotate = `/admin-api/api_token/${far.id}/rotate`;
    for (let i = 0; i < 3; i += 1) {
      expect(await ask('/admin-api/user/me', far.token)).toBe('403 address_not_allowed');
      expect(await ask('/admin-api/events', far.token)).toBe('403 address_not_allowed');
      expect(await ask('/admin-api/events', secret)).toBe('403 forbidden');
      expect(await ask(rotate, narrow.token, 'POST')).toBe('403 scope_missing');
    }
    const list = async () => (await own.admin.audit.list({ query: { action: 'request.denied' } })).data;
    await expect.poll(async () => (await list()).length).toBe(4);
    const byToken = (id: number) => ({ kind: 'user', id: 1, name: 'admin', credential: `api_token:${id}` });
    const events = '/admin-api/events';
    expect((await list()).toReversed()).toMatchObject([
      {
        actor: byToken(far.id),
        request_id: 'GET-of-18',
        detail: { method: 'GET', path: '/admin-api/user/me', code: 'address_not_allowed' },
      },
      { actor: byToken(far.id), detail: { method: 'GET', path: events, code: 'address_not_allowed' } },
      { actor: { kind: 'agent', id: agentId }, detail: { method: 'GET', path: events, code: 'forbidden' } },
      {
        actor: byToken(narrow.id),
        request_id: `POST-of-${rotate.length}`,
        detail: { method: 'POST', path: '/admin-api/api_token/{id}/rotate', code: 'scope_missing' },
      },
    ]);
  });

  it('of an unknown caller is not recorded', async () => {
    await using own = await startApi();
    const before = (await own.admin.audit.list()).meta.count;
    expect((await own.fetch('/admin-api/audit')).status).toBe(401);
    expect((await own.fetch('/admin-api/audit', { headers: { 'API-Token': 'made up' } })).status).toBe(401);
    // A later refusal of a known caller is recorded, and nothing before it.
    const { client } = await own.person('viewer');
    const signedIn = (await own.admin.audit.list()).meta.count;
    await expect(client.audit.verify()).rejects.toMatchObject({ status: 403 });
    await expect.poll(async () => (await own.admin.audit.list()).meta.count).toBe(signedIn + 1);
    const { data } = await own.admin.audit.list({ query: { page_size: signedIn + 1 - before } });
    expect(data.map(({ action }) => action).filter((action) => !action.startsWith('user.'))).toEqual([
      'request.denied',
    ]);
  });
});
