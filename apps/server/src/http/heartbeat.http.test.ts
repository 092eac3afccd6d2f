// Answers to agents' reports in every form in which a client may send them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../test/start-api.ts';

let api: TestApi;
let agent: Awaited<ReturnType<TestApi['agent']>>;
beforeAll(async () => {
  api = await startApi();
  agent = await api.agent();
});
afterAll(() => api[Symbol.asyncDispose]());

const REQUEST_ID = 'report-of-an-agent';

function send(path: string, init: RequestInit & { duplex?: 'half' }): Promise<Response> {
  const headers = { 'API-Token': agent.secret, 'X-Request-Id': REQUEST_ID, ...init.headers };
  return fetch(`${api.url}/api/agents${path}`, { ...init, headers });
}

const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'Content-Type': 'application/json', ...headers },
});
const inPieces = () => ({
  method: 'POST',
  body: new Blob(['{"ip":', '"192.0.2.7"}']).stream(),
  duplex: 'half' as const,
});

describe('a report', () => {
  const forms: [string, number, string, () => RequestInit & { duplex?: 'half' }][] = [
    ['that is empty', 200, '', () => post('{}')],
    ['without a body', 200, '', () => ({ method: 'POST' })],
    ['in pieces', 200, '', inPieces],
    ['with a slash at the end', 200, '/', () => post('{}')],
    ['with a query', 200, '?by=agent', () => post('{}')],
    ['by bearer', 200, '', () => post('{}', { 'API-Token': '', Authorization: `Bearer ${agent.secret}` })],
    ['without a credential', 401, '', () => post('{}', { 'API-Token': '' })],
    ['with an unknown secret', 401, '', () => post('{}', { 'API-Token': 'qd_a_no' })],
    ['by a person', 403, '', () => post('{}', { 'API-Token': '', 'Edge-Token': api.adminToken })],
    ['as a problem document', 401, '', () => post('{}', { 'API-Token': 'no', Accept: 'application/problem+json' })],
    ['with invalid JSON', 400, '', () => post('{')],
    ['with a wrong field', 400, '', () => post('{"hostname":""}')],
    ['of another type', 415, '', () => post('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' })],
    ['that is too large', 413, '', () => post(JSON.stringify({ x: 'x'.repeat(600_000) }))],
    ['by another method', 405, '', () => ({ method: 'PUT', body: '{}' })],
  ];
  it.each(forms)('%s is answered with %i', async (_form, status, end, init) => {
    const response = await send(`/${agent.id}/heartbeat${end}`, init());
    expect(await response.json()).toHaveProperty('time');
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-request-id': REQUEST_ID,
      'cache-control': 'no-store',
    });
  });

  it.each(['0', '1e3', '-1', '9'.repeat(15), '9'.repeat(16), '%30', 'x'])('of agent %s is refused', async (id) => {
    const response = await send(`/${id}/heartbeat`, post('{}'));
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
  });

  it('is logged like every request', async () => {
    const before = api.logged.length;
    await send(`/${agent.id}/heartbeat`, post('{}'));
    const logged = () => api.logged.slice(before).filter((line) => line.includes('/heartbeat"'));
    await expect.poll(logged).toHaveLength(1);
    expect(JSON.parse(logged()[0] ?? '')).toMatchObject({ method: 'POST', status: 200, msg: 'request' });
  });
});
