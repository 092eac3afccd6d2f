// The event `token.revoked`: services that keep the result of a check for a while drop it then.
import { describe, expect, it } from 'vitest';
import { listenEvents } from '../../../test/listen-events.ts';
import { useSharedApi } from '../../../test/start-api.ts';

const HOUR_MS = 3_600_000;

const api = useSharedApi();

interface Owned {
  readonly id: number;
  readonly token: string;
}

const CHANGES: readonly ((token: Owned) => Promise<unknown>)[] = [
  ({ id }) => api.admin.apiToken.remove({ params: { id } }),
  ({ token }) => api.using(token).apiToken.removeSelf(),
  ({ token }) => api.using('').apiToken.revoke({ body: { tokens: [token] } }),
  ({ id }) => api.admin.apiToken.disable({ params: { id } }),
  ({ id }) => api.admin.apiToken.rotate({ params: { id }, body: {} }),
  ({ id }) => api.admin.apiToken.update({ params: { id }, body: { expire: api.now() + HOUR_MS } }),
];

describe('an API token', () => {
  it('is announced to who may read tokens when it is deleted, revoked, disabled, rotated or expires earlier', async () => {
    const { token } = await api.admin.apiToken.create({ body: { scopes: ['api_token:read'] } });
    await using stream = await listenEvents(api.using(token));
    for (const change of CHANGES) {
      const made = await api.admin.apiToken.create({ body: {} });
      await change(made);
      const { data } = await stream.first(({ type, data: { id } }) => type === 'token.revoked' && id === made.id);
      expect(data).toEqual({ id: made.id, uid: made.uid });
    }
  });

  it('is not announced when it is only renamed or enabled, nor to others', async () => {
    const { token } = await api.admin.apiToken.create({ body: { scopes: ['agent:read'] } });
    await using others = await listenEvents(api.using(token));
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
