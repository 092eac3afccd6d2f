// Contents: beside the tests of who may call an endpoint, looks for texts of every noun in all that a narrow credential
// gets: answers, events, deliveries, exports, metrics and tools for assistants.
import { EVENT_TYPES, PERMISSIONS, type Permission, permissionsOf, type RoleName } from '@quarterdeck/core';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyNth, everyThird } from '../../../test/thoroughness.ts';
import { bodyFor, type Headers, NO_ID, withoutBody } from './callers.ts';
import { exampleOf, pathOf, RAW_ROUTES, ROUTES, type Route } from './endpoints.ts';
import { type MarkedWorld, NOUNS, type Noun, plantWorld } from './marked-world.ts';
import { useSteadyApi } from './steady-api.ts';
import { tokenStore } from './token-store.ts';

const api = useSteadyApi({ MCP_CHANGES: 'on' });
const { storeToken } = tokenStore(() => api);
let world: MarkedWorld;
beforeAll(async () => {
  world = await plantWorld(api);
});

/**
 * Nouns whose texts a permission opens, written by hand. To manage a noun includes to read what is managed. The audit
 * log has what people changed, with names, labels and notes. Rules choose channels by their names.
 */
const READS: Partial<Record<Permission, readonly Noun[]>> = {
  'api_token:manage': ['token'],
  'errlog:read': ['errlog'],
  'errlog:manage': ['errlog'],
  'agent:read': ['agent', 'change'],
  'agent:write': ['agent'],
  'alert:read': ['alert', 'webhook'],
  'alert:write': ['alert', 'webhook'],
  'webhook:manage': ['webhook'],
  'enrollment:manage': ['enrollment'],
  'user:read': ['user'],
  'audit:read': ['audit', 'user', 'token', 'agent', 'alert', 'webhook', 'enrollment', 'change'],
};

/** Nouns that permissions open together. */
function readable(permissions: readonly Permission[]): Set<Noun> {
  const nouns = new Set(permissions.flatMap((permission) => READS[permission] ?? []));
  const has = (...needs: Permission[]) => needs.every((need) => permissions.includes(need));
  if (has('alert:read', 'metrics:read', 'errlog:read')) nouns.add('health');
  return nouns;
}

/** A credential: its permissions, and the headers that carry it. */
interface Narrow {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly make: () => Promise<Headers>;
}

const byToken = (scopes: readonly Permission[]): Narrow => ({
  name: `an API token for ${scopes.join(', ') || 'nothing'}`,
  permissions: scopes,
  make: async () => ({ 'API-Token': await storeToken(1, { scopes }) }),
});
const byRole = (role: RoleName): Narrow => ({
  name: `a session of the role ${role}`,
  permissions: permissionsOf(role),
  make: async () => ({ 'edge-token': (await api.person(role)).token }),
});

/** Permissions that read data of other nouns, beside each other one. */
const PAIRS = (['alert:read', 'webhook:manage'] as const).flatMap((carrier) =>
  PERMISSIONS.filter((scope) => scope !== carrier).map((scope) => [carrier, scope]),
);

const NARROW: readonly Narrow[] = [
  byToken([]),
  ...PERMISSIONS.map((scope) => byToken([scope])),
  ...everyThird(PAIRS, 0).map(byToken),
  byRole('viewer'),
  byRole('operator'),
  {
    name: 'an agent',
    permissions: ['errlog:write'],
    make: async () => ({ 'API-Token': (await api.agent()).secret }),
  },
  {
    name: 'an enrollment token',
    permissions: ['agent:enroll'],
    make: async () => ({ 'API-Token': (await api.admin.enrollment.create({ body: { name: 'x' } })).token }),
  },
  { name: 'nobody', permissions: [], make: async () => ({}) },
];

/** Endpoints that would end the credential or the objects of the others. */
const ENDING = /^(user\.(logout|removeOtherSessions)|apiToken\.removeSelf|agent\.purge)/;
/** Bodies that show the most and change nothing of the world. */
const BODIES: Readonly<Record<string, object>> = {
  'errlog.bulk': { filter: {}, state: 'resolved', dry_run: true },
  'line.erase': { filter: 'level:<=8', dry_run: true },
  'agent.bulk': { filter: {}, action: 'delete', dry_run: true },
  'agent.update': { catch_transient_event: false },
  'alert.update': { cooldown: 60 },
  'apiToken.update': { expire: 0 },
  'user.update': { disabled: false },
  'webhook.update': { filter: '' },
};
/** Ids of an endpoint whose noun has another one. */
const IDS: Readonly<Record<string, string>> = {
  'webhook.delivery': 'delivery',
  'webhook.redeliver': 'delivery',
  'agentOperation.cancel': 'agentOperation',
  'user.removeSession': 'session',
};

/** The query that shows the most. */
function queryOf({ endpoint: { query } }: Route): string {
  if (query === undefined) return '';
  const shape: Record<string, unknown> = (query as z.ZodObject).shape ?? {};
  const most = { detail: '1', page_size: '100', limit: '100', field: 'service' };
  const known = Object.entries(most).filter(([name]) => name in shape);
  const required = exampleOf(query) as Record<string, unknown>;
  const all = { ...required, ...Object.fromEntries(known) };
  return `?${new URLSearchParams(Object.entries(all).map(([name, value]): [string, string] => [name, `${value}`]))}`;
}

/** Everything that a request gets, as text. A stream is read up to the position that follows what it has missed. */
async function gets(path: string, headers: Headers, method = 'GET', body?: string): Promise<string> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(api.url + path, { method, headers: { ...headers, ...type }, ...(body && { body }) });
  const head = JSON.stringify([...response.headers]);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return head + (await response.text());
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (/(^|\n\n)id: [\d-]+\n\n/.test(text)) break;
  }
  return head + text;
}

const found = (text: string): Noun[] => NOUNS.filter((noun) => text.includes(world.marks[noun]));

/** Compares the nouns in a text with those that a credential may read. */
function expectOnly(text: string, { name, permissions }: Narrow, what: string): void {
  const allowed = readable(permissions);
  const beyond = found(text).filter((noun) => !allowed.has(noun));
  expect(beyond, `${what} shows ${name} texts of these nouns`).toEqual([]);
}

const ALL = [...ROUTES, ...RAW_ROUTES].filter(({ name }) => !ENDING.test(name) && name !== 'events' && name !== 'mcp');

function request(route: Route): [path: string, method: string, body: string | undefined] {
  const { name, method } = route;
  const [noun = '', verb = ''] = name.split(/[. ]/);
  const key = `${noun}.${verb}`;
  const id = method === 'DELETE' ? NO_ID : (world.ids[IDS[key] ?? noun] ?? 1);
  const body = withoutBody(route) ? undefined : key in BODIES ? JSON.stringify(BODIES[key]) : bodyFor(route);
  return [pathOf(route, id) + queryOf(route), method, body];
}

describe.each(nonEmpty(NARROW))('$name', (narrow) => {
  const at = NARROW.indexOf(narrow);

  it('gets no text of a noun that it may not read in any answer', async () => {
    const headers = await narrow.make();
    for (const route of everyNth(10, ALL, at)) {
      const [path, method, body] = request(route);
      expectOnly(await gets(path, headers, method, body), narrow, route.name);
    }
  });

  it('hears no event about what it may not read', async () => {
    const headers = { ...(await narrow.make()), 'last-event-id': '0-0' };
    for (const type of everyThird(EVENT_TYPES, at)) {
      expectOnly(await gets(`/admin-api/events?types=${type}`, headers), narrow, type);
    }
  });
});

describe('an API token for one permission', () => {
  const single = NARROW.slice(1, 1 + PERMISSIONS.length);

  it.each(nonEmpty(everyNth(7, single, 0)))(
    'finds nothing else with the tools for assistants: $name',
    async (narrow) => {
      const headers = { ...(await narrow.make()), accept: 'application/json, text/event-stream' };
      const call = (method: string, params: object) =>
        gets('/mcp', headers, 'POST', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      const listed = await call('tools/list', {});
      const names = [...listed.matchAll(/"name":"([a-z_]+)"/g)].map(([, name]) => name);
      for (const name of nonEmpty([...new Set(names)])) {
        for (const args of [{}, { id: world.ids['errlog'] }, { id: world.ids['agent'] }, { id: world.ids['line'] }]) {
          expectOnly(await call('tools/call', { name, arguments: args }), narrow, String(name));
        }
      }
    },
  );
});

it('shows every text to those who may read it, so that the other tests find what they look for', async () => {
  const headers = { 'API-Token': await storeToken(1) };
  const texts = await Promise.all(
    ['errlog', 'agent', 'change', 'alert', 'webhook', 'enrollment', 'user', 'audit'].map(async (noun) => {
      const name = `${noun}.list`;
      const route = ROUTES.find((one) => one.name === name);
      return route === undefined ? '' : gets(...(request(route).slice(0, 1) as [string]), headers);
    }),
  );
  const instances = await gets('/admin-api/alert/instance?page_size=100', headers);
  expect(found([...texts, instances].join('\n')).sort()).toEqual([...NOUNS].sort());
  const sent = ['agent', 'alert', 'audit', 'change', 'errlog', 'health', 'token'];
  const stream = await gets('/admin-api/events', { ...headers, 'last-event-id': '0' });
  expect(found(stream)).toEqual(expect.arrayContaining(sent));
  const deliveries = await gets(`/admin-api/webhook/${world.ids['webhook']}/delivery?page_size=100`, headers);
  expect(found(deliveries)).toEqual(expect.arrayContaining(sent));
});
