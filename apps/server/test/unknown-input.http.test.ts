// Unknown fields and parameters: every endpoint refuses them, or names them where the specification's clients send
// some. The list of those paths is written here by hand, so that the contract's data is compared with something.

import { isConfirmedAccess } from '@quarterdeck/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { OPEN_ENDPOINTS } from '../src/http/endpoints/raw-endpoints.ts';
import { NO_ID } from './callers.ts';
import { exampleOf, fieldsOf, jsonSchemaOf, pathOf, RAW_ROUTES, ROUTES, type Route } from './endpoints.ts';
import { ERRLOG_PATH, errlogCalls } from './errlog-calls.ts';
import { type Answer, useApi } from './start-api.ts';

/** Section 4 of the specification, and section 8 of the wire contract. */
const SPECIFIED = new Set([
  'POST /admin-api/user/login',
  'GET /admin-api/api_token',
  'GET /admin-api/api_token/{id}',
  'POST /admin-api/api_token',
  'PUT /admin-api/api_token/{id}',
  'DELETE /admin-api/api_token/{id}',
  'GET /admin-api/log_server/errlog',
  'GET /api/agents',
  'GET /admin-api/user/list',
  'GET /admin-api/user/search',
  'POST /admin-api/user',
  'GET /admin-api/user-group',
  'GET /admin-api/version',
  'GET /admin-api/profiles/{id}/sync_to_all',
]);
/** Bodies whose fields may be anything. */
const OPEN_BODIES = new Set([
  'POST /admin-api/log_server/errlog',
  'POST /api/agents/register',
  'POST /api/agents/{id}/heartbeat',
]);
const JSON_HEADERS = { 'Content-Type': 'application/json' };

const api = useApi();
let headers: { master: Record<string, string>; session: Record<string, string>; agent: Record<string, string> };
let agentId: number;
beforeAll(async () => {
  const { token } = await api.admin.apiToken.create({ body: { name: 'the caller of all tests' } });
  const person = await api.person('master');
  const agent = await api.agent();
  agentId = agent.id;
  headers = {
    master: { 'API-Token': token },
    session: { 'edge-token': person.token },
    agent: { 'API-Token': agent.secret },
  };
});

const { append, newApp } = errlogCalls(() => api);

const labelOf = ({ method, path }: Route) => `${method} ${path}`;

function headersFor({ access }: Route): Record<string, string> {
  if (access === 'agent') return headers.agent;
  return access === 'session' || isConfirmedAccess(access) ? headers.session : headers.master;
}

/** Sends JSON, or text as it is. */
function call(route: Route, { query = '', body, by = headersFor(route) }: Call): Promise<Answer> {
  const { method } = route;
  return api.fetch(`${pathOf(route, route.access === 'agent' ? agentId : NO_ID)}${query}`, {
    method,
    headers: { ...by, ...(body === undefined ? {} : JSON_HEADERS) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Call {
  readonly query?: string;
  readonly body?: unknown;
  readonly by?: Record<string, string>;
}

/** Says what an answer tells about unknown input: the refused paths, or the names of the header. */
function outcomeOf({ status, headers: sent, body }: Answer): string {
  const ignored = sent.get('quarterdeck-ignored');
  if (ignored !== null) return `named ${ignored}`;
  if (status !== 400 || body.err?.code !== 'unknown_field') return 'passed';
  return `refused ${body.err.fields.map(({ path }: Answer) => path).join()}`;
}

const bodyOf = ({ endpoint: { body } }: Route): unknown => (body === undefined ? undefined : exampleOf(body));

describe('an unknown parameter', () => {
  it('is named by the paths of the specification, and refused by all others', async () => {
    const got: Record<string, string> = {};
    for (const route of ROUTES) {
      got[labelOf(route)] = outcomeOf(await call(route, { query: '?levle=4', body: bodyOf(route) }));
    }
    expect(got).toEqual(
      Object.fromEntries(
        ROUTES.map((route) => [labelOf(route), SPECIFIED.has(labelOf(route)) ? 'named levle' : 'refused query.levle']),
      ),
    );
    expect([...SPECIFIED].filter((label) => !(label in got))).toEqual([]);
  });

  it.each(nonEmpty(RAW_ROUTES.filter(({ endpoint }) => endpoint.unknownInput !== 'ignored')))(
    'is refused by $method $path',
    async (route) => {
      // The bodies of other protocols need not be valid.
      expect(outcomeOf(await call(route, { query: '?levle=4', body: route.method === 'GET' ? undefined : {} }))).toBe(
        'refused query.levle',
      );
    },
  );

  it.each(['/metrics', ...OPEN_ENDPOINTS.map(({ endpoint }) => endpoint.path)])('is named by GET %s', async (path) => {
    const { status, headers: sent } = await fetch(`${api.url}${path}?levle=4`, { headers: headers.master });
    expect([status, sent.get('quarterdeck-ignored')]).toEqual([200, 'levle']);
  });

  it('is unknown without a value too, but not without a name', async () => {
    const route = { ...ROUTES[0], ...{ method: 'POST', path: ERRLOG_PATH, access: 'errlog:write' } } as Route;
    const body = [{ level: 'error', log: 'x' }];
    for (const query of ['?dryrun', '?dryrun=', '?__proto__=1', '?toString=x']) {
      expect(outcomeOf(await call(route, { query, body }))).toMatch(/^refused query\.(dryrun|__proto__|toString)$/);
    }
    expect((await call(route, { query: '?&&', body })).status).toBe(200);
  });
});

describe('an unknown field of a body', () => {
  it('is named by the paths of the specification, kept by open bodies, and refused by all others', async () => {
    const unsafe = ROUTES.filter(({ method }) => method !== 'GET');
    const got: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const route of unsafe) {
      const label = labelOf(route);
      const body = { ...(bodyOf(route) as object | undefined), unheardOf: true };
      got[label] = outcomeOf(await call(route, { body }));
      wanted[label] = SPECIFIED.has(label)
        ? 'named unheardOf'
        : OPEN_BODIES.has(label)
          ? 'passed'
          : 'refused body.unheardOf';
    }
    expect(got).toEqual(wanted);
  });

  it('is refused inside of the objects of a body', async () => {
    const found: string[] = [];
    for (const route of ROUTES) {
      const { body } = route.endpoint;
      if (body === undefined || OPEN_BODIES.has(labelOf(route))) continue;
      for (const { path, variants } of fieldsOf(jsonSchemaOf(body))) {
        if (path.length !== 1 || !variants.some(({ properties }) => properties !== undefined)) continue;
        const [name = ''] = path;
        const sent = { ...(exampleOf(body) as object), [name]: { unheardOf: 1 } };
        expect(outcomeOf(await call(route, { body: sent })), labelOf(route)).toBe(`refused body.${name}.unheardOf`);
        found.push(`${route.name} ${name}`);
      }
    }
    expect(found).toEqual(
      expect.arrayContaining(['errlog.bulk filter', 'agent.bulk filter', 'agent.bulk params', 'alert.create when']),
    );
  });

  it('is seen only by callers who may call the endpoint', async () => {
    const viewer = { 'edge-token': (await api.person('viewer')).token };
    for (const route of ROUTES) {
      if (route.access === 'public') continue;
      const body = route.method === 'GET' ? undefined : { unheardOf: 1 };
      const nobody = await call(route, { query: '?levle=4', body, by: {} });
      expect([labelOf(route), nobody.status]).toEqual([labelOf(route), 401]);
      expect(nobody.headers.get('quarterdeck-ignored')).toBeNull();
    }
    const forbidden = await call(
      { ...(ROUTES[0] as Route), method: 'POST', path: '/admin-api/log_server/line/erase' },
      { body: { unheardOf: 1 }, by: viewer },
    );
    expect([forbidden.status, forbidden.body.err.fields]).toEqual([403, undefined]);
  });
});

describe('a misspelt limit', () => {
  const post = (path: string, body: unknown, method = 'POST') =>
    api.fetch(path, { method, headers: { ...headers.master, ...JSON_HEADERS }, body: JSON.stringify(body) });

  it('erases no lines', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: 'kept', app_id }]);
    const { status, body } = await post('/admin-api/log_server/line/erase', {
      filter: `app:${app_id}`,
      since: '1h',
      dryrun: true,
    });
    expect([status, body.err.code, body.err.fields]).toEqual([
      400,
      'unknown_field',
      [
        { path: 'body.since', message: 'is an unknown field. Known: filter, dry_run' },
        { path: 'body.dryrun', message: 'is an unknown field. Did you mean dry_run?' },
      ],
    ]);
    expect(body.msg).toBe('body.since: is an unknown field. Known: filter, dry_run');
    expect((await api.admin.line.list({ query: { app_id } })).data).toHaveLength(1);
  });

  it.each([
    [{ name: 'ci', scope: ['errlog:read'] }, 'scope', 'scopes'],
    [{ name: 'ci', scopes: ['errlog:read'], expires: 1 }, 'expires', 'expire'],
    [{ name: 'ci', cidrs: ['10.0.0.0/8'] }, 'cidrs', 'allowed_cidrs'],
    [{ nmae: 'ci' }, 'nmae', 'name'],
    [{ name: 'ci', ttl: 60 }, 'ttl', undefined],
  ])('issues no API token without limits: %j', async (sent, name, meant) => {
    const count = async () => (await api.admin.apiToken.list()).meta.count;
    const before = await count();
    const { id } = await api.admin.apiToken.create({ body: { name: 'to be changed' } });
    for (const answer of [
      await post('/admin-api/api_token', sent),
      await post('/api/v1/api_token', sent),
      await post(`/admin-api/api_token/${id}`, sent, 'PUT'),
    ]) {
      expect([answer.body.status, answer.body.err.code]).toEqual([400, 'unknown_field']);
      expect(answer.body.err.fields.map(({ path }: Answer) => path)).toContain(`body.${name}`);
    }
    if (meant !== undefined && name !== 'cidrs') {
      expect((await post('/admin-api/api_token', sent)).body.err.fields[0].message).toContain(`Did you mean ${meant}?`);
    }
    expect(await count()).toBe(before + 1);
  });

  it('issues the API token of a client that sends more, and names it', async () => {
    const answer = await post('/admin-api/api_token', { name: 'ci', expire: 0, comment: 'a, b', '\u00fc': 1 });
    expect([answer.status, answer.headers.get('quarterdeck-ignored')]).toEqual([200, 'comment, %C3%BC']);
    const refused = await post('/admin-api/api_token', { name: 1, comment: '' });
    expect([refused.body.err.code, refused.headers.get('quarterdeck-ignored')]).toEqual([
      'validation_failed',
      'comment',
    ]);
  });

  it('creates no rule without its filter', async () => {
    for (const [rule, path] of [
      [{ name: 'r', when: { kind: 'errlog.new', filter: 'level:error' } }, 'body.when.filter'],
      [{ name: 'r', when: { kind: 'errlog.new' }, filters: 'level:error' }, 'body.filters'],
    ] as const) {
      for (const place of ['', '/preview']) {
        const { status, body } = await post(`/admin-api/alert${place}`, rule);
        expect([status, body.err.code, body.err.fields[0].path]).toEqual([400, 'unknown_field', path]);
        expect(body.err.fields[0].message).toMatch(/Did you mean (body\.)?filter\?$/);
      }
    }
    expect((await api.admin.alert.list()).meta.count).toBe(0);
  });

  it('purges nothing where a dry run is asked of a request without a body', async () => {
    const { id } = await api.agent();
    await api.admin.agent.remove({ params: { id } });
    for (const [body, type] of [
      ['{"dry_run": true}', 'application/json'],
      ['dry_run=1', 'application/x-www-form-urlencoded'],
      ['[1]', 'text/plain'],
    ] as const) {
      const answer = await api.fetch(`/api/agents/${id}/purge`, {
        method: 'POST',
        headers: { ...headers.master, 'Content-Type': type },
        body,
      });
      expect([answer.status, answer.body.err.code]).toEqual([400, 'unknown_field']);
    }
    expect((await api.admin.agent.get({ params: { id }, query: { include_deleted: true } })).id).toBe(id);
    const empty = { method: 'POST', headers: { ...headers.master, ...JSON_HEADERS }, body: ' {} ' };
    expect((await api.fetch(`/api/agents/${id}/purge`, empty)).status).toBe(200);
  });

  it('deletes an API token also for a client that sends a body, whatever it is', async () => {
    for (const [body, ignored] of [
      ['{"force": 1}', 'force'],
      ['force', null],
      ['x'.repeat(100_000), null],
    ] as const) {
      const { id } = await api.admin.apiToken.create({ body: {} });
      const answer = await api.fetch(`/admin-api/api_token/${id}`, { method: 'DELETE', headers: headers.master, body });
      expect([answer.status, answer.headers.get('quarterdeck-ignored')]).toEqual([200, ignored]);
    }
  });
});
