// The example service, identified by a server, and the identification by a server of other processes.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInventory } from '@quarterdeck/example-inventory-service/app';
import { contract } from '@quarterdeck/example-inventory-service/contract';
import { findShortages } from '@quarterdeck/example-inventory-service/shortages';
import { createRemoteIdentify, type RemoteIdentify } from '@quarterdeck/express';
import { createClient, isApiError } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { useApi } from './start-api.ts';

const ITEMS = [
  { id: 1, name: 'fan', room: 'ams-1', count: 12 },
  { id: 2, name: 'power supply', room: 'ams-1', count: 2 },
  { id: 3, name: 'power supply', room: 'fra-2', count: 5 },
];

const HOUR_MS = 3_600_000;

/** Serves the inventory until it is disposed. */
async function serveInventory({ identify, close }: RemoteIdentify) {
  const server = createInventory(identify, ITEMS).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const end = () => {
    close();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: end };
}

const api = useApi();
let inventory: Awaited<ReturnType<typeof serveInventory>>;
let url: string;
beforeAll(async () => {
  const { token } = await api.admin.apiToken.create({ body: { name: 'inventory', scopes: ['api_token:read'] } });
  // Only an event can end a caller that is kept for an hour.
  inventory = await serveInventory(createRemoteIdentify({ url: api.url, apiToken: token, cacheMs: HOUR_MS }));
  url = inventory.url;
  await vi.waitFor(() => expect(api.server.deps.events.subscribers()).toBe(1), { timeout: 50_000 });
});
afterAll(() => {
  inventory[Symbol.dispose]();
});

const as = (credential: { apiToken: string } | { sessionToken: string }) =>
  createClient({ url, contract, checkAnswers: true, retries: 0, ...credential });
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: unknown) => (isApiError(error) ? error.code : error),
  );
const tokenOf = (...scopes: ('agent:read' | 'agent:write' | 'errlog:read')[]) =>
  api.admin.apiToken.create({ body: { scopes } });

describe('the inventory', () => {
  it('serves its contract to a typed client', async () => {
    const { token } = await tokenOf('agent:read', 'agent:write');
    const client = as({ apiToken: token });
    expect(await client.item.list({ query: { room: 'ams-1' } })).toEqual(ITEMS.slice(0, 2));
    expect(await client.item.list.page()).toEqual({ data: ITEMS, meta: { count: 3 } });
    expect(await client.item.take({ params: { id: 3 }, body: { count: 1 } })).toEqual({ ...ITEMS[2], count: 4 });
    expect(await client.item.get({ params: { id: 3 } })).toMatchObject({ count: 4 });
    expect(await codeOf(client.item.take({ params: { id: 3 }, body: { count: 50 } }))).toBe('conflict');
    expect(await codeOf(client.item.get({ params: { id: 9 } }))).toBe('not_found');
    expect(await findShortages(url, token, 3)).toEqual([ITEMS[1]]);
  });

  it('applies the scopes of an API token, and the role of a session', async () => {
    const { token } = await tokenOf('agent:read');
    expect(await codeOf(as({ apiToken: token }).item.list())).toBe('accepted');
    expect(await codeOf(as({ apiToken: token }).item.take({ params: { id: 1 }, body: { count: 1 } }))).toBe(
      'scope_missing',
    );
    const { token: other } = await tokenOf('errlog:read');
    expect(await codeOf(as({ apiToken: other }).item.list())).toBe('scope_missing');
    const viewer = await api.person('viewer');
    const client = as({ sessionToken: viewer.token });
    expect(await codeOf(client.item.list())).toBe('accepted');
    expect(await codeOf(client.item.take({ params: { id: 1 }, body: { count: 1 } }))).toBe('forbidden');
  });

  it('refuses callers without a credential, and agents', async () => {
    expect(await codeOf(createClient({ url, contract }).item.list())).toBe('credential_missing');
    const { secret } = await api.agent();
    expect(await codeOf(as({ apiToken: secret }).item.list())).toBe('credential_invalid');
  });

  it.each([
    ['token deleted', (id: number) => api.admin.apiToken.remove({ params: { id } })],
    ['token disabled', (id: number) => api.admin.apiToken.disable({ params: { id } })],
    ['token rotated', (id: number) => api.admin.apiToken.rotate({ params: { id }, body: {} })],
    ['person disabled', (id: number) => api.admin.user.update({ params: { id }, body: { disabled: true } })],
    [
      'person given another role',
      (id: number) => api.admin.user.update({ params: { id }, body: { role: 'operator' } }),
    ],
    ['person deleted', (id: number) => api.admin.user.remove({ params: { id } })],
    ['person signed out', (id: number) => api.admin.user.endSessions({ params: { id } })],
    ['person freed of a lost second factor', (id: number) => api.admin.user.resetSecondFactor({ params: { id } })],
  ])('refuses a credential that was accepted a moment ago: %s', async (how, end) => {
    const isToken = how.startsWith('token');
    const { id, token } = isToken ? await tokenOf('agent:read') : await api.person('viewer');
    const client = as(isToken ? { apiToken: token } : { sessionToken: token });
    expect(await codeOf(client.item.list())).toBe('accepted');
    await end(id);
    await expect.poll(() => codeOf(client.item.list())).toBe('credential_invalid');
  });

  it('has a documentation of its own', async () => {
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: object;
      components: { schemas: object };
    };
    expect(Object.keys(document.paths)).toEqual(['/items', '/items/{id}', '/items/{id}/take']);
    expect(Object.keys(document.components.schemas)).toContain('Item');
    expect(await (await fetch(`${url}/docs`)).text()).toContain('Inventory API');
  });

  it('answers 503 while the server that identifies callers is away', async () => {
    const gone = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    onTestFinished(() => void gone.close());
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    using away = await serveInventory(createRemoteIdentify({ url: `http://127.0.0.1:${port}` }));
    const report = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { token } = await tokenOf('agent:read');
    const client = createClient({ url: away.url, contract, apiToken: token, retries: 0 });
    expect(await codeOf(client.item.list())).toBe('identity_unavailable');
    const reported = report.mock.calls.join();
    report.mockRestore();
    expect(reported).toContain('No answer from');
    expect(reported).not.toContain(token);
  });
});
