// Agents' reports go past Express. Those in a form that agents do not use go through it: both are answered alike.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../test/start-api.ts';

let api: TestApi;
let agent: Awaited<ReturnType<TestApi['agent']>>;
beforeAll(async () => {
  api = await startApi();
  agent = await api.agent();
});
afterAll(() => api[Symbol.asyncDispose]());

const REQUEST_ID = 'same-for-both';

/** The answers to a report, the second of them by Express, which answers those with a query. */
async function bothAnswers(path: string, init: RequestInit & { duplex?: 'half' }) {
  const asked = ['', '?by=express'].map(async (query) => {
    const body = init.body instanceof Blob ? init.body.stream() : init.body;
    const headers = { 'API-Token': agent.secret, 'X-Request-Id': REQUEST_ID, ...init.headers };
    const response = await fetch(`${api.url}/api/agents${path}${query}`, { ...init, body: body ?? null, headers });
    const { date: _date, ...others } = Object.fromEntries(response.headers);
    const { time: _time, ...said } = (await response.json()) as { time: number };
    return { status: response.status, headers: { ...others, 'content-length': '' }, said };
  });
  return await Promise.all(asked);
}

const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  ...{ method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } },
});

describe('a report', () => {
  const forms: [string, number, string, () => RequestInit & { duplex?: 'half' }][] = [
    ['that says nothing', 200, '', () => post('{}')],
    ['without a body', 200, '', () => ({ method: 'POST' })],
    ['in pieces', 200, '', () => ({ method: 'POST', body: new Blob(['{"ip":', '"192.0.2.7"}']), duplex: 'half' })],
    ['with a slash at the end', 200, '/', () => post('{}')],
    ['by bearer', 200, '', () => post('{}', { 'API-Token': '', Authorization: `Bearer ${agent.secret}` })],
    ['without a credential', 401, '', () => post('{}', { 'API-Token': '' })],
    ['with a secret that is none', 401, '', () => post('{}', { 'API-Token': 'qd_a_no' })],
    ['by a person', 403, '', () => post('{}', { 'API-Token': '', 'Edge-Token': api.adminToken })],
    ['as a problem document', 401, '', () => post('{}', { 'API-Token': 'no', Accept: 'application/problem+json' })],
    ['that is no JSON', 400, '', () => post('{')],
    ['with a wrong field', 400, '', () => post('{"hostname":""}')],
    ['of another type', 415, '', () => post('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' })],
    ['that is too large', 413, '', () => post(JSON.stringify({ x: 'x'.repeat(70_000) }))],
    ['by another method', 405, '', () => ({ method: 'PUT', body: '{}' })],
  ];
  it.each(forms)('%s is answered with %i, as by Express', async (_form, status, end, init) => {
    const [direct, byExpress] = await bothAnswers(`/${agent.id}/heartbeat${end}`, init());
    expect(direct).toEqual(byExpress);
    expect(direct?.status).toBe(status);
    expect(direct?.headers).toMatchObject({ 'x-request-id': REQUEST_ID, 'cache-control': 'no-store' });
  });

  it.each(['0', '1e3', '-1', '9'.repeat(15), '9'.repeat(16), '%30', 'x'])(
    'of agent %s is answered as by Express',
    async (id) => {
      const [direct, byExpress] = await bothAnswers(`/${id}/heartbeat`, post('{}'));
      expect(direct).toEqual(byExpress);
      expect(direct?.status).toBeGreaterThanOrEqual(400);
    },
  );

  it('is logged as every request is', async () => {
    const before = api.logged.length;
    await bothAnswers(`/${agent.id}/heartbeat`, post('{}'));
    const logged = () => api.logged.slice(before).filter((line) => line.includes('/heartbeat"'));
    await expect.poll(logged).toHaveLength(2);
    for (const line of logged())
      expect(JSON.parse(line)).toMatchObject({ method: 'POST', status: 200, msg: 'request' });
  });
});
