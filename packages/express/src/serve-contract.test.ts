// A contract of the test, served by an Express app with other middleware around it.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Actor, AppError, type Contract, endpoint } from '@quarterdeck/core';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { userActor } from '../test/user-actor.ts';
import { type Caller, type ServeOptions, serveContract } from './serve-contract.ts';

const Buoy = z.object({ id: z.int(), place: z.string() });

const contract = {
  buoy: {
    list: endpoint({
      method: 'GET',
      path: '/buoys',
      summary: 'All buoys',
      access: 'public',
      query: z.object({ place: z.string().optional() }),
      data: z.array(Buoy),
      bareList: true,
    }),
    create: endpoint({
      method: 'POST',
      path: '/buoys',
      summary: 'Lay out a buoy',
      access: 'agent:write',
      body: z.object({ place: z.string().min(1) }),
      bodyLimit: 100,
      data: Buoy,
    }),
    get: endpoint({
      method: 'GET',
      path: '/buoys/{id}',
      summary: 'One buoy',
      access: 'public',
      params: z.object({ id: z.coerce.number().int() }),
      data: Buoy,
      errors: ['not_found'],
    }),
    old: endpoint({
      method: 'GET',
      path: '/old/{id}',
      summary: 'One buoy',
      access: 'public',
      params: z.object({ id: z.coerce.number().int() }),
      data: Buoy,
      errors: ['not_found'],
      unknownInput: 'ignored',
      deprecated: { since: '2027-01-31', sunset: '2027-08-01', use: 'GET /buoys/{id}' },
    }),
  },
} as const satisfies Contract;

const ACTORS: Readonly<Record<string, Actor>> = {
  writer: userActor(['agent:write']),
  reader: userActor(['agent:read'], 'viewer'),
};

const faults: [code: string, id: string][] = [];
const callers: Caller[] = [];
class DiskFull extends Error {}

const options: ServeOptions = {
  info: { title: 'Buoys', version: '2.1.0' },
  async identify({ headers }) {
    const token = headers['api-token'];
    if (typeof token !== 'string') return null;
    const actor = ACTORS[token];
    if (actor === undefined) throw new AppError('credential_invalid');
    return actor;
  },
  onFault: (error, id) => faults.push([error.code, id]),
  convertError: (error) => (error instanceof DiskFull ? new AppError('storage_full', { cause: error }) : undefined),
  checkAnswers: true,
  now: () => 1_795_000_000_000,
};

const get = async ({ params: { id } }: { params: { id: number } }) => {
  if (id !== 1) throw new AppError('not_found');
  return { id, place: 'off the mole' };
};

const services = {
  buoy: {
    list: async ({ query, request }: { query: { place?: string | undefined }; request: Caller }) => {
      callers.push(request);
      if (query.place === 'full') throw new DiskFull();
      if (query.place === 'bug') throw new Error('a bug');
      return { data: [{ id: 1, place: 'off the mole' }], meta: { count: 7 } };
    },
    create: async ({ body }: { body: { place: string } }) => ({ id: 2, place: body.place }),
    get,
    old: get,
  },
};

let server: ReturnType<ReturnType<typeof express>['listen']>;
let url: string;
beforeAll(async () => {
  const app = express();
  app.set('trust proxy', 'loopback');
  app.use('/api', serveContract(contract, services, options));
  app.use('/open', serveContract(contract, services, { ...options, docs: false, fallThrough: true }));
  app.get('/open/other', (_req, res) => void res.send('of the app'));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const request = (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { headers });
const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/buoys`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
const codeOf = async (response: Response) =>
  [response.status, ((await response.json()) as { err: { code: string } }).err.code] as const;

describe('a served contract', () => {
  it('wraps results, with an id for each request and the total of a list', async () => {
    const response = await request('/api/buoys', { 'x-request-id': 'from-proxy-1' });
    expect(await response.json()).toEqual({ status: 0, time: 1_795_000_000, data: [{ id: 1, place: 'off the mole' }] });
    expect(response.headers.get('x-request-id')).toBe('from-proxy-1');
    expect(response.headers.get('x-total-count')).toBe('7');
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('tells services who calls', async () => {
    callers.length = 0;
    await request('/api/buoys', {
      'x-request-id': 'from-proxy-2',
      'x-forwarded-for': '192.0.2.7',
      'user-agent': 'buoy/1',
    });
    expect(callers).toEqual([{ id: 'from-proxy-2', address: '192.0.2.7', client: 'buoy/1' }]);
  });

  it.each([
    ['no credential', {}, [401, 'credential_missing']],
    ['an invalid one', { 'api-token': 'nobody' }, [401, 'credential_invalid']],
    ['one without the permission', { 'api-token': 'reader' }, [403, 'forbidden']],
  ] as const)('refuses %s', async (_, headers, refusal) => {
    expect(await codeOf(await post('{"place":"bay"}', headers))).toEqual(refusal);
  });

  it('passes on validated input', async () => {
    const made = await post('{"place":"bay"}', { 'api-token': 'writer' });
    expect(await made.json()).toMatchObject({ status: 0, data: { id: 2, place: 'bay' } });
    const refused = await post('{"place":""}', { 'api-token': 'writer' });
    expect(await refused.json()).toMatchObject({ status: 400, err: { fields: [{ path: 'body.place' }] } });
  });

  it.each([
    ['beyond its limit', `{"place":"${'x'.repeat(200)}"}`, {}, [413, 'too_large']],
    ['that is no JSON', '{', {}, [400, 'malformed_json']],
    ['of another type', 'place=bay', { 'content-type': 'text/plain' }, [415, 'unsupported_media_type']],
    ['that is compressed', '{}', { 'content-encoding': 'gzip' }, [415, 'unsupported_media_type']],
    ['that is missing', '', {}, [400, 'body_missing']],
  ] as const)('refuses a body %s', async (_, body, headers, refusal) => {
    expect(await codeOf(await post(body, { 'api-token': 'writer', ...headers }))).toEqual(refusal);
  });

  it('refuses unknown fields and parameters, unless the endpoint ignores them', async () => {
    const writer = { 'api-token': 'writer' };
    expect(await codeOf(await post('{"place":"bay","deep":1}', writer))).toEqual([400, 'unknown_field']);
    expect(await codeOf(await request('/api/buoys/1?plaice=bay'))).toEqual([400, 'unknown_field']);
    const ignored = await request('/api/old/1?plaice=bay&%C3%BC=1');
    expect([ignored.status, ignored.headers.get('quarterdeck-ignored')]).toEqual([200, 'plaice, %C3%BC']);
  });

  it('answers other methods and paths with failures of the envelope', async () => {
    const refused = await fetch(`${url}/api/buoys/1`, { method: 'DELETE' });
    expect(refused.headers.get('allow')).toBe('HEAD, GET');
    expect(await codeOf(refused)).toEqual([405, 'method_not_allowed']);
    expect(await codeOf(await request('/api/elsewhere'))).toEqual([404, 'unknown_path']);
    expect(await codeOf(await request('/api/buoys/%E0%A4%A'))).toEqual([400, 'bad_request']);
    expect(await codeOf(await request('/api/buoys/9'))).toEqual([404, 'not_found']);
  });

  it.each([
    ['/api/old/1', 200, '@1801353600', 'Sun, 01 Aug 2027 00:00:00 GMT'],
    ['/api/old/9', 404, '@1801353600', 'Sun, 01 Aug 2027 00:00:00 GMT'],
    ['/api/buoys/1', 200, null, null],
  ])('says since when and until when %s is deprecated, also in a failure', async (path, status, since, sunset) => {
    const { status: got, headers } = await request(path);
    expect([got, headers.get('deprecation'), headers.get('sunset')]).toEqual([status, since, sunset]);
  });

  it('answers with a problem document on request', async () => {
    const response = await request('/api/buoys/9', { accept: 'application/problem+json' });
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(await response.json()).toMatchObject({ type: 'urn:quarterdeck:error:not_found', status: 404 });
  });

  it('reports faults with the id of their request, and refusals not', async () => {
    faults.length = 0;
    const full = await request('/api/buoys?place=full', { 'x-request-id': 'request-full' });
    expect(await codeOf(full)).toEqual([503, 'storage_full']);
    const bug = await request('/api/buoys?place=bug', { 'x-request-id': 'request-bug' });
    expect(await bug.text()).not.toContain('a bug');
    await request('/api/buoys/9');
    expect(faults).toEqual([
      ['storage_full', 'request-full'],
      ['internal', 'request-bug'],
    ]);
  });

  it('leaves other paths to the app where it should', async () => {
    expect(await (await request('/open/other')).text()).toBe('of the app');
    expect((await request('/open/docs')).status).toBe(404);
    expect((await request('/open/buoys')).status).toBe(200);
  });
});

describe('the documentation', () => {
  it('describes the contract below its prefix', async () => {
    const document = (await (await request('/api/openapi.json')).json()) as {
      info: object;
      servers: object[];
      paths: Record<string, Record<string, { operationId: string }>>;
      components: { headers: object };
    };
    expect(document.info).toEqual({ title: 'Buoys', version: '2.1.0' });
    expect(document.servers).toEqual([{ url: '/api' }]);
    expect(Object.keys(document.paths)).toEqual(['/buoys', '/buoys/{id}', '/old/{id}']);
    expect(document.paths['/buoys']?.['post']?.operationId).toBe('buoy_create');
    const names = ['X-Request-Id', 'X-Total-Count', 'Quarterdeck-Ignored', 'WWW-Authenticate'];
    expect(Object.keys(document.components.headers)).toEqual(names);
  });

  it('names no failure that the service cannot have', async () => {
    const text = await (await request('/api/openapi.json')).text();
    expect(text).toContain('/components/examples/not_found');
    expect(text).not.toContain('/components/examples/database_busy');
    expect(text).not.toContain('/components/examples/rate_limited');
  });

  it('is a page that may load nothing else', async () => {
    const response = await request('/api/docs');
    const page = await response.text();
    expect(page).toContain('<title>Buoys API 2.1.0</title>');
    expect(page).toContain('<a href="/api/openapi.json">');
    expect(page).toContain('id="buoy_create"');
    expect(page).not.toContain('Quarterdeck');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('serveContract', () => {
  it('refuses callers that nobody identifies', () => {
    const { identify: _, ...without } = options;
    expect(() => serveContract(contract, services, without)).toThrow('POST /buoys has the access agent:write');
  });

  it('refuses endpoints that take lines', () => {
    const { create } = contract.buoy;
    const lines = { buoy: { create: endpoint({ ...create, consumes: 'lines' }) } };
    expect(() => serveContract(lines, services, options)).toThrow('takes lines');
  });
});
