// Permissions of an API token: never more than its scopes, and never more than its owner has at that moment.
import { PERMISSIONS, type Permission, ROLE_NAMES, ROLES, type RoleName } from '@quarterdeck/core';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const using = (apiToken: string) => createClient({ url: api.url, apiToken });
const permissionsOf = async (apiToken: string) => [...(await using(apiToken).user.me()).permissions].sort();
const change = (id: number, data: { role?: RoleName; totpSinceMs?: bigint }) =>
  api.server.deps.db.write((tx) => tx.prisma.user.update({ where: { id }, data }));
const demandSecondFactor = (value: string) =>
  api.server.deps.db.write((tx) =>
    tx.prisma.setting.upsert({
      where: { name: 'require_2fa' },
      create: { name: 'require_2fa', value },
      update: { value },
    }),
  );

describe('scopes', () => {
  it('narrow the permissions of the owner', async () => {
    const { token } = await api.admin.apiToken.create({ body: { scopes: ['agent:read', 'api_token:read'] } });
    expect(await permissionsOf(token)).toEqual(['agent:read', 'api_token:read']);
    expect((await using(token).apiToken.list()).meta.count).toBeGreaterThan(0);
    const refused = using(token).errlog.list();
    await expect(refused).rejects.toMatchObject({
      status: 403,
      code: 'scope_missing',
      detail: expect.stringContaining('errlog:read'),
    });
  });

  it('may be empty', async () => {
    const { token, id } = await api.admin.apiToken.create({ body: { scopes: [] } });
    expect(await permissionsOf(token)).toEqual([]);
    await expect(using(token).agent.list()).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    expect((await api.admin.apiToken.get({ params: { id }, query: { detail: 1 } })).scopes).toEqual([]);
  });

  it.each(ROLE_NAMES)('of a %s beyond the role are refused on creation, by name', async (role) => {
    const { client } = await api.person(role);
    const allowed = ROLES[role];
    const made = await client.apiToken.create({ body: { scopes: [...allowed] } });
    expect(await permissionsOf(made.token)).toEqual([...allowed].sort());
    for (const scope of PERMISSIONS.filter((permission) => !allowed.includes(permission))) {
      await expect(client.apiToken.create({ body: { scopes: ['agent:read', scope] } })).rejects.toMatchObject({
        status: 400,
        code: 'validation_failed',
        fields: [{ path: 'body.scopes', message: expect.stringContaining(scope) }],
      });
    }
  });

  it('never exceed the owner after each change of role', async () => {
    const { id, client } = await api.person('master');
    const all = await client.apiToken.create({ body: {} });
    const some = await client.apiToken.create({ body: { scopes: ['user:read', 'errlog:write', 'agent:read'] } });
    for (const role of ['viewer', 'operator', 'master', 'viewer', 'master'] as const) {
      await change(id, { role });
      expect(await permissionsOf(all.token)).toEqual([...ROLES[role]].sort());
      const within = (['user:read', 'errlog:write', 'agent:read'] as Permission[]).filter((one) =>
        ROLES[role].includes(one),
      );
      expect(await permissionsOf(some.token)).toEqual(within.sort());
    }
    await change(id, { role: 'viewer' });
    // The owner may not either, so it is not the scope that is missing.
    await expect(using(some.token).user.list()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });
});

describe('an API token that creates API tokens', () => {
  it('passes on its own scopes by default, and never others', async () => {
    const scopes: Permission[] = ['api_token:read', 'api_token:write', 'agent:read'];
    const { token } = await api.admin.apiToken.create({ body: { scopes } });
    const child = await using(token).apiToken.create({ body: { name: 'child' } });
    expect(await permissionsOf(child.token)).toEqual([...scopes].sort());
    const narrow = await using(token).apiToken.create({ body: { scopes: ['agent:read'] } });
    expect(await permissionsOf(narrow.token)).toEqual(['agent:read']);
    await expect(using(token).apiToken.create({ body: { scopes: ['errlog:read'] } })).rejects.toMatchObject({
      status: 400,
      fields: [{ path: 'body.scopes' }],
    });
  });

  it('passes on its own addresses by default, and never others', async () => {
    const { token } = await api.admin.apiToken.create({ body: { allowed_cidrs: ['127.0.0.0/8', '::1'] } });
    const child = await using(token).apiToken.create({ body: {} });
    expect(await using(child.token).apiToken.self()).toMatchObject({ allowed_cidrs: ['127.0.0.0/8', '::1'] });
    await using(token).apiToken.create({ body: { allowed_cidrs: ['127.0.0.1'] } });
    const wide = using(token).apiToken.create({ body: { allowed_cidrs: ['0.0.0.0/0'] } });
    await expect(wide).rejects.toMatchObject({ status: 400, fields: [{ path: 'body.allowed_cidrs' }] });
  });

  it('passes on its own expiry by default, and never a later one, not even to itself', async () => {
    const expire = api.now() + 3_600_000;
    const asking = await api.admin.apiToken.create({ body: { expire } });
    const client = using(asking.token);
    expect(await client.apiToken.create({ body: {} })).toMatchObject({ expire });
    const sooner = await client.apiToken.create({ body: { expire: expire - 1 } });
    await client.apiToken.update({ params: { id: sooner.id }, body: { expire } });
    await client.apiToken.update({ params: { id: asking.id }, body: { name: 'renamed', expire } });
    const { id: endless } = await api.admin.apiToken.create({ body: {} });
    const rename = client.apiToken.update({ params: { id: endless }, body: { name: 'renamed' } });
    await expect(rename).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    for (const later of [0, expire + 1]) {
      const refusals = [
        () => client.apiToken.create({ body: { expire: later } }),
        () => client.apiToken.update({ params: { id: sooner.id }, body: { expire: later } }),
        () => client.apiToken.update({ params: { id: asking.id }, body: { expire: later } }),
      ];
      for (const refusal of refusals) {
        await expect(refusal()).rejects.toMatchObject({
          status: 400,
          fields: [{ path: 'body.expire', message: expect.stringMatching(/^must be at most .* token expires$/) }],
        });
      }
    }
    const rotate = (id: number) => client.apiToken.rotate({ params: { id }, body: {} });
    await expect(rotate(endless)).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    expect((await rotate(sooner.id)).expire).toBe(expire);
    // A session is not a token: whoever signs in may issue what lasts.
    await api.admin.apiToken.update({ params: { id: sooner.id }, body: { expire: 0 } });
  });

  it('gets no secret of a token with more permissions or addresses', async () => {
    const scopes: Permission[] = ['api_token:read', 'api_token:write', 'api_token:manage'];
    const limited = await api.admin.apiToken.create({ body: { scopes } });
    const { id } = await api.admin.apiToken.create({ body: { name: 'all of it' } });
    const { id: other } = await api.admin.apiToken.create({ body: { scopes: ['user:write'] } });
    const { id: same } = await api.admin.apiToken.create({ body: { scopes: ['api_token:read'] } });
    const rotate = (token: string, target: number) =>
      using(token).apiToken.rotate({ params: { id: target }, body: {} });
    for (const target of [id, other]) {
      await expect(rotate(limited.token, target)).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    }
    expect((await rotate(limited.token, same)).token).toMatch(/^qd_t_/);
    expect((await rotate(limited.token, limited.id)).id).toBe(limited.id);
    const near = await api.admin.apiToken.create({ body: { allowed_cidrs: ['127.0.0.0/8'] } });
    await expect(rotate(near.token, id)).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
  });

  it('is refused where a session is needed', async () => {
    const { token } = await api.admin.apiToken.create({ body: {} });
    const refused = using(token).user.changePassword({ body: { current_password: 'x', password: 'y' } });
    await expect(refused).rejects.toMatchObject({ status: 403, code: 'forbidden', detail: expect.any(String) });
  });
});

describe('a role that needs a second factor', () => {
  it('has no permission without one, by session and by API token, and all with one', async () => {
    const { id, client } = await api.person('operator');
    const { token } = await client.apiToken.create({ body: { scopes: ['agent:read'] } });
    const viewer = await api.person('viewer');
    await demandSecondFactor('master,operator');
    for (const caller of [client, using(token)]) {
      await expect(caller.agent.list()).rejects.toMatchObject({ status: 403, code: 'second_factor_demanded' });
      expect(await caller.user.me()).toMatchObject({ permissions: [], must_set_up_second_factor: true });
    }
    await viewer.client.agent.list();
    await change(id, { totpSinceMs: 1n });
    for (const caller of [client, using(token)]) {
      await caller.agent.list();
      expect(await caller.user.me()).toMatchObject({ second_factor: true, must_set_up_second_factor: false });
    }
    await change(id, { totpSinceMs: 0n });
    await expect(client.agent.list()).rejects.toMatchObject({ code: 'second_factor_demanded' });
    await demandSecondFactor('');
    await client.agent.list();
  });
});
