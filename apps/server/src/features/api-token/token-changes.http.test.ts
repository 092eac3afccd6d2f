// Every change of a token, by every token: a table of who may, over all pairs. Each pair has tokens of its own, so that
// no change is in the way of another.
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';

const HOUR_MS = 3_600_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const using = (apiToken: string) => createClient({ url: api.url, apiToken });

/** Tokens by what they can do. Each can write tokens. */
const KINDS = {
  'of everything': () => ({}),
  'of some scopes': () => ({ scopes: ['api_token:write', 'errlog:read', 'user:read'] as const }),
  'of fewer scopes': () => ({ scopes: ['api_token:write', 'errlog:read'] as const }),
  'of other scopes': () => ({ scopes: ['api_token:write', 'agent:read'] as const }),
  'of a wide block': () => ({ allowed_cidrs: ['127.0.0.0/8'] }),
  'of a narrow block': () => ({ allowed_cidrs: ['127.0.0.1'] }),
  'of an hour': () => ({ expire: api.now() + HOUR_MS }),
  'of two hours': () => ({ expire: api.now() + 2 * HOUR_MS }),
} as const;
type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as Kind[];

/** Kinds that each kind may hold; all may hold another one of their own kind, and that of everything holds all. */
const HOLDS: Readonly<Record<Kind, readonly Kind[]>> = {
  'of everything': NAMES,
  'of some scopes': ['of some scopes', 'of fewer scopes'],
  'of fewer scopes': ['of fewer scopes'],
  'of other scopes': ['of other scopes'],
  'of a wide block': ['of a wide block', 'of a narrow block'],
  'of a narrow block': ['of a narrow block'],
  // Made at the same moment or later, a token of an hour lasts as long or longer.
  'of an hour': ['of an hour'],
  'of two hours': ['of two hours', 'of an hour'],
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

async function make(owner: Client, kind: Kind, expire?: number) {
  const { scopes, ...rest } = KINDS[kind]() as { scopes?: readonly string[]; expire?: number };
  const body = { ...rest, ...(scopes === undefined ? {} : { scopes: [...scopes] as never }) };
  return owner.apiToken.create({ body: expire === undefined ? body : { ...body, expire } });
}

describe.each(NAMES)('an API token %s', (asking) => {
  it.each(NAMES)('changes one %s where it may control it, and ends it in any case', async (target) => {
    const { client: owner } = await api.person('master');
    const seen: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const [verb, { held, act }] of Object.entries(VERBS)) {
      const own = await make(owner, asking);
      // A life of the same length is that of the same moment.
      const { id } = await make(owner, target, asking === target && own.expire > 0 ? own.expire : undefined);
      if (verb === 'enable') await owner.apiToken.disable({ params: { id } });
      // Cut short, one that would last too long does not.
      const isLongOnly = ['of an hour', 'of two hours'].includes(asking) && verb === 'shorten';
      const may = !held || isLongOnly || HOLDS[asking].includes(target);
      wanted[verb] = may ? 'done' : '403 scope_missing';
      seen[verb] = await outcome(act(using(own.token), id));
    }
    expect(seen).toEqual(wanted);
  });

  it('does not extend itself, and keeps its expiry when rotated', async () => {
    const { client: owner } = await api.person('master');
    const expire = api.now() + HOUR_MS;
    const own = await make(owner, asking, expire);
    const { apiToken } = using(own.token);
    const params = { id: own.id };
    await apiToken.update({ params, body: { name: 'renamed' } });
    for (const later of [0, expire + 1]) {
      await expect(apiToken.update({ params, body: { expire: later } })).rejects.toMatchObject({ status: 400 });
    }
    expect((await apiToken.rotate({ params, body: {} })).expire).toBe(expire);
  });
});

describe('an API token of fewer scopes', () => {
  it('neither revives nor enables a wider one', async () => {
    const { client: owner } = await api.person('master');
    const own = await make(owner, 'of fewer scopes');
    const wide = await owner.apiToken.create({ body: { expire: api.now() + HOUR_MS } });
    api.advance(HOUR_MS + 1);
    const params = { id: wide.id };
    const revive = using(own.token).apiToken.update({ params, body: { expire: api.now() + HOUR_MS } });
    await expect(revive).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    await owner.apiToken.disable({ params });
    await expect(using(own.token).apiToken.enable({ params })).rejects.toMatchObject({ code: 'scope_missing' });
    await expect(using(wide.token).user.me()).rejects.toMatchObject({ status: 401 });
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
