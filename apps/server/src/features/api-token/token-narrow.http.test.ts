// Used scopes of API tokens: what is counted, and what narrowing takes away (decision 091).
import { describe, expect, it } from 'vitest';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { CALLS, isRefusedWithout, LINE, tokenCalls } from '../../../test/token-calls.ts';
import { word } from '../../../test/word.ts';
import { createTokenUses } from './token-uses.ts';

const DAY_MS = 86_400_000;
const OBSERVED_MS = 7 * DAY_MS;

const api = useSteadyApi({ MCP_CHANGES: 'on' });

const { newToken, narrow, send } = tokenCalls(() => api);
const useOf = (id: number) => api.admin.apiToken.use({ params: { id } });
const namesOf = (uses: readonly { readonly name: string }[]) => uses.map(({ name }) => name).sort();
const conflict = (text: string) => ({ status: 409, code: 'conflict', message: expect.stringContaining(text) });

describe('the use of an API token', () => {
  it('names the permissions and the endpoints, how often and when', async () => {
    const { id, token } = await newToken();
    const createdS = api.now() / 1000;
    const last = { time: null, address: '' };
    expect(await useOf(id)).toEqual({ since: createdS, permissions: [], endpoints: [], last });
    const client = api.using(token);
    await client.errlog.list();
    await client.errlog.list();
    api.advance(60_000);
    await client.errlog.append({ body: LINE });
    await client.user.me();
    // Refused requests need nothing: this one is about a session.
    await expect(client.user.sessions()).rejects.toMatchObject({ status: 403 });
    const nowS = api.now() / 1000;
    const use = await useOf(id);
    expect(use.permissions).toEqual([
      { name: 'errlog:write', count: 1, last_used: nowS },
      { name: 'errlog:read', count: 2, last_used: createdS },
    ]);
    expect(use.endpoints).toEqual([
      { name: 'GET /admin-api/user/me', count: 1, last_used: nowS },
      { name: 'POST /admin-api/log_server/errlog', count: 1, last_used: nowS },
      { name: 'GET /admin-api/log_server/errlog', count: 2, last_used: createdS },
    ]);
  });

  it('is hidden from those who may not see the token', async () => {
    const { id } = await newToken();
    const { client } = await api.person('operator');
    await expect(client.apiToken.use({ params: { id } })).rejects.toMatchObject({ status: 404 });
    await expect(client.apiToken.narrow({ params: { id }, body: {} })).rejects.toMatchObject({ status: 404 });
    const { token: part } = await api.admin.apiToken.create({ body: { errlog_filter: 'host:a' } });
    await expect(api.using(part).apiToken.use({ params: { id } })).rejects.toMatchObject({ status: 404 });
    const own = await api.using(part).apiToken.self();
    expect(namesOf((await api.using(part).apiToken.use({ params: { id: own.id } })).permissions)).toEqual([
      'api_token:read',
    ]);
  });

  it('adds up what several servers count, and goes on after a failed write', async () => {
    const { id } = await newToken();
    const { db } = api.server.deps;
    let failures = 1;
    const failing = {
      write: (...args: Parameters<typeof db.write>) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new Error('the disk is full')) : db.write(...args);
      },
    } as typeof db;
    const [one, two] = [createTokenUses(failing, api.now), createTokenUses(db, () => api.now() + 5_000)];
    for (const server of [one, two, one]) server.note(id, 'errlog:read');
    await expect(one.flush('all')).rejects.toThrow('the disk is full');
    one.note(id, 'errlog:read');
    await Promise.all([one.flush('all'), two.flush('all')]);
    await two.flush('all');
    const lastS = (api.now() + 5_000) / 1000;
    expect((await useOf(id)).permissions).toEqual([{ name: 'errlog:read', count: 4, last_used: lastS }]);
  });

  it('is written once a minute, and for a deleted token not at all', async () => {
    const [kept, gone] = [await newToken(), await newToken()];
    const server = createTokenUses(api.server.deps.db, api.now);
    const rows = () =>
      api.server.deps.db.read.prisma.apiTokenUse.count({ where: { tokenId: { in: [kept.id, gone.id] } } });
    for (const { id } of [kept, gone]) server.note(id, 'errlog:read');
    await server.flush();
    expect(await rows()).toBe(0);
    await api.admin.apiToken.remove({ params: { id: gone.id } });
    api.advance(60_000);
    await server.flush();
    expect(await rows()).toBe(1);
  });
});

describe('a narrowed API token', () => {
  it('repeats a week of all calls together', async () => {
    const { id, token } = await newToken();
    const answers = async () => {
      const got: [string, string][] = [];
      for (const call of CALLS) got.push([call.path, await send(call, token)]);
      return got;
    };
    const before = await answers();
    api.advance(OBSERVED_MS);
    expect((await narrow(id)).removed).toContain('errlog:erase');
    expect(await answers()).toEqual(before);
  });

  it('refuses the calls that it has not made', async () => {
    const { id, token } = await newToken();
    await api.using(token).errlog.list();
    api.advance(OBSERVED_MS);
    await narrow(id);
    const others = CALLS.filter((call) => isRefusedWithout(call) && !call.needs.includes('errlog:read'));
    expect(await Promise.all(others.map((call) => send(call, token)))).toEqual(others.map(() => '403'));
  });

  it('is shown first by a dry run, and recorded in the audit log', async () => {
    const { id, token } = await newToken(['errlog:read', 'errlog:write', 'agent:read']);
    await api.using(token).errlog.list();
    api.advance(OBSERVED_MS);
    const plan = { scopes: ['errlog:read'], removed: ['errlog:write', 'agent:read'] };
    expect(await narrow(id, true)).toEqual(plan);
    expect((await api.using(token).apiToken.self()).scopes).toHaveLength(3);
    expect(await narrow(id)).toEqual(plan);
    expect((await api.using(token).apiToken.self()).scopes).toEqual(['errlog:read']);
    expect(await narrow(id)).toEqual({ scopes: ['errlog:read'], removed: [] });
    const { data } = await api.admin.audit.list({ query: { action: 'api_token.narrow', page_size: 100 } });
    expect(data.filter(({ target }) => target.id === id).map(({ detail }) => detail)).toEqual([
      {
        before: { scopes: ['errlog:read', 'errlog:write', 'agent:read'] },
        after: { scopes: ['errlog:read'] },
      },
    ]);
  });

  it('must have been observed for a week, and used', async () => {
    const { id, token } = await newToken();
    await api.using(token).errlog.list();
    api.advance(OBSERVED_MS - 1_000);
    await expect(narrow(id)).rejects.toMatchObject(conflict('less than 7 days'));
    const unused = await newToken();
    api.advance(OBSERVED_MS);
    await expect(narrow(unused.id, true)).rejects.toMatchObject(conflict('was not used'));
    expect((await narrow(id)).scopes).toEqual(['errlog:read']);
    // A token of before the counting has no week yet.
    await api.server.deps.db.write((tx) =>
      tx.prisma.apiToken.update({ where: { id }, data: { usesSinceMs: BigInt(api.now()) } }),
    );
    await expect(narrow(id)).rejects.toMatchObject(conflict('less than 7 days'));
  });

  it('never gets a permission that its scopes or its owner lack', async () => {
    const person = await api.person('operator');
    const { id, token } = await person.client.apiToken.create({ body: {} });
    await api.using(token).errlog.list();
    await api.using(token).enrollment.list();
    await api.server.deps.db.write((tx) =>
      tx.prisma.user.update({ where: { id: person.id }, data: { role: 'viewer' } }),
    );
    api.advance(OBSERVED_MS);
    expect((await narrow(id)).scopes).toEqual(['errlog:read']);
  });

  it('keeps what its rules and channels need', async () => {
    const { id, token } = await newToken();
    const client = api.using(token);
    const when = { kind: 'audit.broken' } as const;
    const rule = await client.alert.create({ body: { name: word(), when, channels: [] } });
    await client.webhook.create({ body: { name: word(), url: 'https://hooks.example.com', types: ['agent.offline'] } });
    await api.server.deps.db.write((tx) => tx.prisma.apiTokenUse.deleteMany());
    api.advance(OBSERVED_MS);
    await client.user.me();
    const { scopes } = await narrow(id);
    expect([...scopes].sort()).toEqual(['agent:read', 'alert:read', 'alert:write', 'audit:read', 'webhook:manage']);
    expect((await api.admin.alert.get({ params: { id: rule.id } })).stopped).toBeNull();
  });

  it('still sees the tokens of others, and controls its equals, where it did', async () => {
    const person = await api.person('operator');
    const other = await person.client.apiToken.create({ body: { scopes: ['alert:read', 'agent:read'] } });
    const { id, token } = await newToken();
    const work = async () => {
      await api.using(token).apiToken.get({ params: { id: other.id } });
      await api.using(token).apiToken.rotate({ params: { id: other.id }, body: {} });
    };
    await work();
    api.advance(OBSERVED_MS);
    expect([...(await narrow(id)).scopes].sort()).toEqual([
      ...['agent:read', 'alert:read', 'api_token:manage', 'api_token:read', 'api_token:write'],
    ]);
    await work();
  });
});

describe('permissions that an API token does not use', () => {
  const unusedOf = async (id: number) =>
    (await api.admin.apiToken.list({ query: { detail: 1, page_size: 200 } })).data.find((one) => one.id === id)?.unused;

  it('are listed after 30 days, until they are used', async () => {
    const { id, token } = await newToken(['errlog:read', 'agent:read']);
    const client = api.using(token);
    await client.errlog.list();
    api.advance(30 * DAY_MS - 1_000);
    expect(await unusedOf(id)).toBeUndefined();
    api.advance(1_000);
    await client.errlog.list();
    await useOf(id);
    expect(await unusedOf(id)).toEqual(['agent:read']);
    await client.agent.list();
    await useOf(id);
    expect(await unusedOf(id)).toEqual([]);
    await api.admin.apiToken.disable({ params: { id } });
    expect(await unusedOf(id)).toBeUndefined();
  });

  it('are forgotten 35 days after their last use', async () => {
    const { id, token } = await newToken();
    await api.using(token).errlog.list();
    await useOf(id);
    api.advance(35 * DAY_MS);
    expect(namesOf((await useOf(id)).permissions)).toEqual(['errlog:read']);
    api.advance(1_000);
    expect((await useOf(id)).permissions).toEqual([]);
  });
});
