// The event `token.revoked`: services that keep the result of a check for a while drop it then.
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenEvents } from '../../../test/listen-events.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';

const HOUR_MS = 3_600_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

interface Owned {
  readonly id: number;
  readonly token: string;
}

const using = (apiToken: string) => createClient({ url: api.url, apiToken });

const CHANGES: readonly (readonly [name: string, change: (token: Owned) => Promise<unknown>])[] = [
  ['is deleted', ({ id }) => api.admin.apiToken.remove({ params: { id } })],
  ['deletes itself', ({ token }) => using(token).apiToken.removeSelf()],
  ['is revoked by its secret', ({ token }) => using('').apiToken.revoke({ body: { tokens: [token] } })],
  ['is disabled', ({ id }) => api.admin.apiToken.disable({ params: { id } })],
  ['is rotated', ({ id }) => api.admin.apiToken.rotate({ params: { id }, body: {} })],
  [
    'gets another expiry',
    ({ id }) => api.admin.apiToken.update({ params: { id }, body: { expire: api.now() + HOUR_MS } }),
  ],
];

describe('an API token', () => {
  it.each(CHANGES)('is announced when it %s, to who may read tokens', async (_, change) => {
    const { token } = await api.admin.apiToken.create({ body: { scopes: ['api_token:read'] } });
    const made = await api.admin.apiToken.create({ body: {} });
    await using stream = await listenEvents(using(token));
    await change(made);
    const { data } = await stream.first(({ type }) => type === 'token.revoked');
    expect(data).toEqual({ id: made.id, uid: made.uid });
  });

  it('is not announced when it is only renamed or enabled, nor to others', async () => {
    const { token } = await api.admin.apiToken.create({ body: { scopes: ['agent:read'] } });
    await using others = await listenEvents(using(token));
    const [first, second] = [
      await api.admin.apiToken.create({ body: {} }),
      await api.admin.apiToken.create({ body: {} }),
    ];
    await api.admin.apiToken.disable({ params: { id: first.id } });
    await using stream = await listenEvents(api.admin);
    await api.admin.apiToken.enable({ params: { id: first.id } });
    await api.admin.apiToken.update({ params: { id: first.id }, body: { name: 'renamed' } });
    await api.admin.apiToken.remove({ params: { id: second.id } });
    await stream.first(({ type }) => type === 'token.revoked');
    await api.agent();
    await others.first(({ type }) => type === 'agent.registered');
    expect(stream.events.filter(({ type }) => type === 'token.revoked').map(({ data }) => data.id)).toEqual([
      second.id,
    ]);
    expect(others.events.filter(({ type }) => type === 'token.revoked')).toEqual([]);
  });
});
