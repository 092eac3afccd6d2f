// Permissions of an API token: never more than its scopes, and never more than its owner has at that moment.
import { PERMISSIONS, type Permission, ROLE_NAMES, ROLES, type RoleName } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { useSharedApi } from '../../../test/start-api.ts';

const api = useSharedApi();

const permissionsOf = async (apiToken: string) => [...(await api.using(apiToken).user.me()).permissions].sort();
const change = (id: number, data: { role: RoleName }) =>
  api.server.deps.db.write((tx) => tx.prisma.user.update({ where: { id }, data }));

describe('scopes', () => {
  it('narrow the permissions of the owner', async () => {
    const { token } = await api.admin.apiToken.create({ body: { scopes: ['agent:read', 'api_token:read'] } });
    expect(await permissionsOf(token)).toEqual(['agent:read', 'api_token:read']);
    expect((await api.using(token).apiToken.list()).meta.count).toBeGreaterThan(0);
    const refused = api.using(token).errlog.list();
    await expect(refused).rejects.toMatchObject({
      status: 403,
      code: 'scope_missing',
      detail: expect.stringContaining('errlog:read'),
    });
  });

  it.each(nonEmpty(ROLE_NAMES))('of a %s beyond the role are refused on creation, by name', async (role) => {
    const { client } = await api.person(role);
    const allowed = ROLES[role];
    const made = await client.apiToken.create({ body: { scopes: [...allowed] } });
    expect(await permissionsOf(made.token)).toEqual([...allowed].sort());
    const beyond = PERMISSIONS.filter((permission) => !allowed.includes(permission));
    if (beyond.length === 0) return;
    await expect(client.apiToken.create({ body: { scopes: [...PERMISSIONS] } })).rejects.toMatchObject({
      status: 400,
      code: 'validation_failed',
      fields: [{ path: 'body.scopes', message: expect.stringContaining(`: ${beyond.join(', ')}`) }],
    });
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
    await expect(api.using(some.token).user.list()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });
});

describe('an API token that creates API tokens', () => {
  it('passes on its own scopes by default, and never others', async () => {
    const scopes: Permission[] = ['api_token:read', 'api_token:write', 'agent:read'];
    const { token } = await api.admin.apiToken.create({ body: { scopes } });
    const child = await api.using(token).apiToken.create({ body: { name: 'child' } });
    expect(await permissionsOf(child.token)).toEqual([...scopes].sort());
    const narrow = await api.using(token).apiToken.create({ body: { scopes: ['agent:read'] } });
    expect(await permissionsOf(narrow.token)).toEqual(['agent:read']);
    await expect(api.using(token).apiToken.create({ body: { scopes: ['errlog:read'] } })).rejects.toMatchObject({
      status: 400,
      fields: [{ path: 'body.scopes' }],
    });
  });

  it('passes on its own addresses by default, and never others', async () => {
    const { token } = await api.admin.apiToken.create({ body: { allowed_cidrs: ['127.0.0.0/8', '::1'] } });
    const child = await api.using(token).apiToken.create({ body: {} });
    expect(await api.using(child.token).apiToken.self()).toMatchObject({ allowed_cidrs: ['127.0.0.0/8', '::1'] });
    await api.using(token).apiToken.create({ body: { allowed_cidrs: ['127.0.0.1'] } });
    const wide = api.using(token).apiToken.create({ body: { allowed_cidrs: ['0.0.0.0/0'] } });
    await expect(wide).rejects.toMatchObject({ status: 400, fields: [{ path: 'body.allowed_cidrs' }] });
  });

  it('passes on its own expiry by default, and never a later one, not even to itself', async () => {
    const expire = api.now() + 3_600_000;
    const asking = await api.admin.apiToken.create({ body: { expire } });
    const client = api.using(asking.token);
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
    // A session is not a token: whoever signs in may issue what lasts.
    await api.admin.apiToken.update({ params: { id: sooner.id }, body: { expire: 0 } });
    expect((await rotate(asking.id)).expire).toBe(expire);
  });
});
