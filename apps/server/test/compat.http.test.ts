// The official client's prefix: the same answers, except that failures come as HTTP 200.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, startApi, type TestApi } from './start-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe('/api/v1', () => {
  it('signs in and lists, as the official client does it', async () => {
    const body = JSON.stringify({ username: 'admin', password: PASSWORD });
    const login = await api.fetch('/api/v1/user/login', { method: 'POST', body });
    expect(login.body).toMatchObject({ status: 0, data: { token: expect.any(String) } });
    const headers = { Auth: login.body.data.token };
    for (const path of ['/api/v1/log_server/errlog/?page_size=0', '/api/v1/api_token?page=1&page_size=20']) {
      const { status, body: list } = await api.fetch(path, { headers });
      expect(status).toBe(200);
      expect(list).toMatchObject({ status: 0, data: { meta: { count: expect.any(Number) } } });
    }
    const version = await api.fetch('/api/v1/version', { headers });
    expect(version.body.data).toEqual({ version: expect.any(Number), product_type: 'quarterdeck' });
  });

  it.each([
    ['GET', '/api/v1/user/me', 401, 'credential_missing'],
    ['GET', '/api/v1/nothing/here', 404, 'unknown_path'],
    ['PATCH', '/api/v1/user/me', 405, 'method_not_allowed'],
  ])('fails %s %s with HTTP 200 and the code in status', async (method, path, code, word) => {
    const viaCompat = await api.fetch(path, { method });
    expect(viaCompat.status).toBe(200);
    expect(viaCompat.body).toMatchObject({ status: code, msg: expect.any(String), err: { code: word } });
    expect((await api.fetch(path.replace('/api/v1', '/admin-api'), { method })).status).toBe(code);
  });

  it('fails a wrong password with the text that the official client looks for', async () => {
    const body = JSON.stringify({ username: 'admin', password: 'wrong' });
    const answer = await api.fetch('/api/v1/user/login', { method: 'POST', body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 401, msg: 'incorrect login credentials' });
  });
});

describe('/version', () => {
  it('is the version of the prefix', async () => {
    const headers = { 'edge-token': api.adminToken };
    expect((await api.fetch('/version', { headers })).body.data).toEqual(
      (await api.fetch('/admin-api/version', { headers })).body.data,
    );
  });
});
