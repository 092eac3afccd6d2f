// The fake of the SDK refuses what this server refuses, in the same words.
import { createFake } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { useApi } from './start-api.ts';

const api = useApi();

/** The part of an answer that does not depend on the moment. */
async function outcomeOf(answer: Response) {
  const { status, msg, err } = (await answer.json()) as { status: number; msg?: string; err?: { request_id?: string } };
  const headers = ['content-type', 'cache-control', 'allow', 'x-total-count', 'www-authenticate'].map((name) =>
    answer.headers.get(name),
  );
  return { status: answer.status, headers, body: { status, msg, err: { ...err, request_id: undefined } } };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (body: string, headers: Record<string, string> = JSON_TYPE) => ({ method: 'POST', body, headers });

describe('the fake of the SDK', () => {
  it.each<[path: string, init?: RequestInit]>([
    ['/nowhere'],
    ['/admin-api/nowhere', { method: 'POST' }],
    ['/admin-api/api_token/%zz'],
    ['/admin-api/user/logout', { method: 'PUT' }],
    ['/admin-api/log_server/errlog', { method: 'DELETE' }],
    ['/api/agents/enrollment/1', { method: 'POST' }],
    ['/admin-api/log_server/errlog?page_size=10001&level=9&state=old&cursor='],
    ['/admin-api/log_server/errlog?filter=level:'],
    ['/admin-api/log_server/errlog?page=&page_size=0'],
    ['/admin-api/log_server/errlog/x'],
    ['/api/agents?_page=0&label=a b'],
    ['/api/agents/?_pagesize=0'],
    ['/admin-api/log_server/line/values'],
    ['/admin-api/api_token', post('{')],
    ['/admin-api/api_token', post('')],
    ['/admin-api/api_token', post('[]')],
    ['/admin-api/api_token', post('{"name":7,"expire":5,"scopes":["x"]}')],
    ['/admin-api/api_token', post('name=x', { 'content-type': 'application/x-www-form-urlencoded' })],
    ['/admin-api/api_token/1', { ...post('{}'), method: 'PUT' }],
    ['/admin-api/user', post('{"username":"-","password":"","role":"x"}')],
    ['/admin-api/log_server/errlog/bulk', post('{"state":"muted"}')],
    ['/api/agents/bulk', post('{"ids":[1],"action":"update","kind":"upgrade"}')],
    ['/api/agents/kernel_rule', post('{"pattern":"a b"}')],
    ['/admin-api/log_server/errlog/export?format=xml'],
    ['/admin-api/log_server/errlog', post('x', { 'content-type': 'text/csv' })],
  ])('answers as the server: %s', async (path, init) => {
    const fake = createFake();
    const headers = { ...(init?.headers as Record<string, string> | undefined), 'edge-token': api.adminToken };
    const answers = [api, fake].map(({ url }) =>
      (url === fake.url ? fake.fetch : fetch)(url + path, { ...init, headers }),
    );
    const [ours, theirs] = await Promise.all(answers.map(async (answer) => outcomeOf(await answer)));
    expect(theirs).toEqual(ours);
  });

  it('refuses callers as the server', async () => {
    const fake = createFake({ credentials: ['qd_t_x'] });
    const ours = await fetch(`${api.url}/admin-api/user/me`);
    expect(await outcomeOf(await fake.fetch(`${fake.url}/admin-api/user/me`))).toEqual(await outcomeOf(ours));
    const headers = { 'API-Token': 'nonsense' };
    const refused = await fetch(`${api.url}/admin-api/user/me`, { headers });
    expect(await outcomeOf(await fake.fetch(`${fake.url}/admin-api/user/me`, { headers }))).toEqual(
      await outcomeOf(refused),
    );
  });
});
