import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';

const DAY_MS = 86_400_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe('POST /admin-api/api_token', () => {
  it('shows the secret exactly once', async () => {
    const made = await api.admin.apiToken.create({ body: { name: 'ci', expire: 0 } });
    expect(made.token).toMatch(/^qd_t_[0-9A-Za-z]{49}$/);
    const { body } = await api.fetch(`/admin-api/api_token/${made.id}?detail=1`, {
      headers: { 'edge-token': api.adminToken },
    });
    expect(body.data).not.toHaveProperty('token');
    expect(body.data.token_tail).toBe(made.token.slice(-4));
    const me = await createClient({ url: api.url, apiToken: made.token }).user.me();
    expect(me.credential).toEqual({ kind: 'api_token', id: made.id, expire: 0 });
  });

  it('stores an absent name as empty and an absent expiry as never', async () => {
    const made = await api.admin.apiToken.create({ body: {} });
    expect(made).toMatchObject({ name: '', expire: 0, uid: 1 });
  });

  it('refuses an expiry in the past, and one in seconds with a hint', async () => {
    const past = api.admin.apiToken.create({ body: { name: 'x', expire: api.now() - DAY_MS } });
    await expect(past).rejects.toMatchObject({ status: 400, fields: [{ path: 'body.expire' }] });
    const seconds = api.admin.apiToken.create({ body: { name: 'x', expire: Math.floor(api.now() / 1000) + 60 } });
    await expect(seconds).rejects.toMatchObject({
      status: 400,
      fields: [{ path: 'body.expire', message: expect.stringContaining('milliseconds') }],
    });
  });
});
