// Every change of a token, by tokens that may control it and by others. `token-rules.test.ts` has the rule itself.
import type { ApiTokenDraft } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { type TestApi, useApi } from '../../../test/start-api.ts';

const HOUR_MS = 3_600_000;

const api = useApi();

/** Tokens of which the first one may control the second one, and not the reverse. Each can write tokens. */
const PAIRS: Readonly<Record<string, () => [ApiTokenDraft, ApiTokenDraft]>> = {
  scopes: () => [{}, { scopes: ['api_token:write', 'errlog:read'] }],
  addresses: () => [{ allowed_cidrs: ['127.0.0.0/8'] }, { allowed_cidrs: ['127.0.0.1'] }],
  time: () => [{ expire: api.now() + 2 * HOUR_MS }, { expire: api.now() + HOUR_MS }],
};

type Client = TestApi['admin'];

/** Actions on a token; `held`: the caller must be one who may hold it. */
const VERBS: Readonly<Record<string, { held: boolean; act: (client: Client, id: number) => Promise<unknown> }>> = {
  rename: { held: true, act: ({ apiToken }, id) => apiToken.update({ params: { id }, body: { name: 'renamed' } }) },
  shorten: {
    held: true,
    act: ({ apiToken }, id) => apiToken.update({ params: { id }, body: { expire: api.now() + HOUR_MS / 2 } }),
  },
  rotate: { held: true, act: ({ apiToken }, id) => apiToken.rotate({ params: { id }, body: {} }) },
  enable: { held: true, act: ({ apiToken }, id) => apiToken.enable({ params: { id } }) },
  disable: { held: false, act: ({ apiToken }, id) => apiToken.disable({ params: { id } }) },
  delete: { held: false, act: ({ apiToken }, id) => apiToken.remove({ params: { id } }) },
};

const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ status, code }: { status: number; code: string }) => `${status} ${code}`,
  );

describe.each(nonEmpty(Object.entries(PAIRS)))('an API token with more %s than another one', (what, bodiesOf) => {
  it.each([
    ['changes', 0],
    ['is not changed, except ended, by', 1],
  ] as const)('%s it', async (_, asking) => {
    const { client: owner } = await api.person('master');
    const seen: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const [verb, { held, act }] of Object.entries(VERBS)) {
      const bodies = bodiesOf();
      const own = await owner.apiToken.create({ body: bodies[asking] ?? {} });
      const { id } = await owner.apiToken.create({ body: bodies[1 - asking] ?? {} });
      if (verb === 'enable') await owner.apiToken.disable({ params: { id } });
      // Cut short, one that would last too long does not.
      const may = asking === 0 || !held || (what === 'time' && verb === 'shorten');
      wanted[verb] = may ? 'done' : '403 scope_missing';
      seen[verb] = await outcome(act(api.using(own.token), id));
    }
    expect(seen).toEqual(wanted);
  });
});

describe('an API token of fewer scopes', () => {
  it('neither revives nor enables a wider one', async () => {
    const { client: owner } = await api.person('master');
    const own = await owner.apiToken.create({ body: { scopes: ['api_token:write', 'errlog:read'] } });
    const wide = await owner.apiToken.create({ body: { expire: api.now() + HOUR_MS } });
    api.advance(HOUR_MS + 1);
    const params = { id: wide.id };
    const revive = api.using(own.token).apiToken.update({ params, body: { expire: api.now() + HOUR_MS } });
    await expect(revive).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    await owner.apiToken.disable({ params });
    await expect(api.using(own.token).apiToken.enable({ params })).rejects.toMatchObject({ code: 'scope_missing' });
    await expect(api.using(wide.token).user.me()).rejects.toMatchObject({ status: 401 });
  });
});

describe('a session', () => {
  it('changes any token of its user; that of a master also those of others', async () => {
    const { client: owner } = await api.person('operator');
    for (const { act } of Object.values(VERBS)) {
      for (const client of [owner, api.admin]) {
        const { id } = await owner.apiToken.create({ body: { scopes: ['errlog:read'], allowed_cidrs: ['192.0.2.1'] } });
        expect(await outcome(act(client, id))).toBe('done');
      }
    }
  });
});
