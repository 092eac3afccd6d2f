// Alerts need the permission of what they are about; a rule has the rights that its author has now.
import { ALERT_KIND_NAMES, type AlertKind, type Permission, permissionsOf } from '@quarterdeck/core';
import { type Client, createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { watch } from '../../../test/alert-calls.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { tokenStore } from '../../../test/token-store.ts';
import { word } from '../../../test/word.ts';

const api = useSteadyApi();
const { storeToken } = tokenStore(() => api);

const using = (apiToken: string) => createClient({ url: api.url, apiToken });
const withScopes = async (...scopes: Permission[]) => using(await storeToken(1, { scopes }));
const append = (log: string) => api.admin.errlog.append({ body: { level: 'error', log } });
const refused = { status: 403, code: 'scope_missing' };
const forbidden = { status: 403, code: 'forbidden' };

/** Kind -> a permission that a rule of it needs, written by hand. */
const NEEDS: Readonly<Record<AlertKind, Permission>> = {
  'errlog.new': 'errlog:read',
  'errlog.regressed': 'errlog:read',
  'errlog.count': 'errlog:read',
  'errlog.spike': 'errlog:read',
  silence: 'errlog:read',
  'agent.offline': 'agent:read',
  'agent.back': 'agent:read',
  'agent.outage': 'agent:read',
  'operation.failed': 'agent:read',
  'certificate.expiring': 'agent:read',
  'host.resource': 'agent:read',
  'change.worse': 'agent:read',
  'token.expiring': 'api_token:manage',
  'token.reused': 'api_token:manage',
  'signin.failed': 'audit:read',
  'audit.broken': 'audit:read',
  'server.health': 'metrics:read',
};

describe.each(nonEmpty(ALERT_KIND_NAMES))('a rule of the kind %s', (kind) => {
  it('is created, changed and previewed only with the permission of what it is about', async () => {
    const rule = await api.admin.alert.create({ body: { name: word(), when: { kind } } });
    const all = permissionsOf('master').filter((scope) => scope !== NEEDS[kind]);
    for (const client of [await withScopes('alert:write', 'alert:read'), await withScopes(...all)]) {
      const { alert } = client;
      await expect(alert.create({ body: { name: 'x', when: { kind } } })).rejects.toMatchObject(refused);
      await expect(alert.preview({ body: { when: { kind } } })).rejects.toMatchObject(refused);
      await expect(alert.update({ params: rule, body: { name: 'x' } })).rejects.toMatchObject(refused);
    }
    const { client } = await api.person('operator');
    const outcome = expect(client.alert.preview({ body: { when: { kind } } }));
    if (permissionsOf('operator').includes(NEEDS[kind]))
      await outcome.resolves.toMatchObject({ fired: expect.any(Number) });
    else await outcome.rejects.toMatchObject(forbidden);
  });
});

describe('alerts of a kind that the caller may not read', () => {
  it('are in no list, count, rule or stream', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 0 }, { filter: log });
    const narrow = await withScopes('alert:read', 'agent:read');
    const reader = await withScopes('alert:read', 'errlog:read');
    await using heard = await listenEvents(narrow);
    await using all = await listenEvents(reader);
    await append(log);
    expect(await rule.round()).toHaveLength(1);
    const { db, events } = api.server.deps;
    await db.write((tx) => events.publish(tx, [{ type: 'agent.removed', data: { id: 1 } }]));
    const isFiring = ({ type }: { readonly type: string }) => type === 'alert.firing';
    expect((await all.first(isFiring)).data.title).toContain(log);
    expect((await heard.until(({ type }) => type === 'agent.removed')).filter(isFiring)).toEqual([]);

    const query = { rule_id: rule.id };
    expect(await narrow.alert.instances({ query })).toEqual({ data: [], meta: { count: 0 } });
    expect(await narrow.alert.get({ params: rule })).toMatchObject({ firing: 0, last_fired: null });
    expect((await reader.alert.instances({ query })).meta.count).toBe(1);
    expect(await reader.alert.get({ params: rule })).toMatchObject({ firing: 1, last_fired: expect.any(Number) });
  });

  it('neither name the alert above them nor count below it', async () => {
    const { db } = api.server.deps;
    const [outage, error] = [
      await api.admin.alert.create({ body: { name: word(), when: { kind: 'agent.outage' } } }),
      await api.admin.alert.create({ body: { name: word(), when: { kind: 'errlog.count' } } }),
    ];
    await db.write(async ({ prisma }) => {
      const row = { key: word(), state: 'resolved', title: '', detail: '{}', sinceMs: 1n };
      const { id: parentId } = await prisma.alert.create({ data: { ...row, ruleId: outage.id } });
      await prisma.alert.create({ data: { ...row, ruleId: error.id, parentId } });
    });
    const seen = async (client: Pick<Client, 'alert'>, rule_id: number) =>
      (await client.alert.instances({ query: { rule_id } })).data.map(({ under, parent_id }) => [under, parent_id]);
    expect(await seen(api.admin, outage.id)).toEqual([[1, null]]);
    expect(await seen(api.admin, error.id)).toEqual([[0, expect.any(Number)]]);
    expect(await seen(await withScopes('alert:read', 'agent:read'), outage.id)).toEqual([[0, null]]);
    expect(await seen(await withScopes('alert:read', 'errlog:read'), error.id)).toEqual([[0, null]]);
  });
});

describe('a rule', () => {
  type Person = Awaited<ReturnType<typeof api.person>>;
  const change = (id: number, data: { role?: string; disabled?: boolean }) =>
    api.server.deps.db.write(({ prisma }) => prisma.user.update({ where: { id }, data }));
  const tokenOf = (id: number) => ({ where: { userId: id, scopes: { not: '' } } });

  /** Ways to end the rights of an author and to give them back, with the reason that is shown. */
  const LOSSES = [
    {
      what: 'has another role',
      lose: ({ id }: Person) => change(id, { role: 'viewer' }),
      restore: ({ id }: Person) => change(id, { role: 'operator' }),
      why: /no longer has the permission alert:write/,
    },
    {
      what: 'is disabled',
      lose: ({ id }: Person) => change(id, { disabled: true }),
      restore: ({ id }: Person) => change(id, { disabled: false }),
      why: /is disabled/,
    },
    {
      what: 'made it with an API token that is disabled',
      lose: ({ id }: Person) =>
        api.server.deps.db.write(({ prisma }) =>
          prisma.apiToken.updateMany({ ...tokenOf(id), data: { disabled: true } }),
        ),
      restore: ({ id }: Person) =>
        api.server.deps.db.write(({ prisma }) =>
          prisma.apiToken.updateMany({ ...tokenOf(id), data: { disabled: false } }),
        ),
      why: /API token .* was disabled or deleted/,
    },
    {
      what: 'made it with an API token whose scopes are fewer now',
      lose: ({ id }: Person) =>
        api.server.deps.db.write(({ prisma }) =>
          prisma.apiToken.updateMany({ ...tokenOf(id), data: { scopes: 'alert:write' } }),
        ),
      restore: ({ id }: Person) =>
        api.server.deps.db.write(({ prisma }) =>
          prisma.apiToken.updateMany({ ...tokenOf(id), data: { scopes: 'errlog:read alert:write' } }),
        ),
      why: /no longer has the permission errlog:read/,
    },
  ];

  it.each(nonEmpty(LOSSES))('stops while its author $what, says so, and goes on', async ({ lose, restore, why }) => {
    const author = await api.person('operator');
    const client = using(await storeToken(author.id, { scopes: ['alert:write', 'errlog:read'] }));
    const health = await watch(api, { kind: 'server.health' });
    const rule = await watch(api, { kind: 'errlog.new' });
    await client.alert.update({ params: rule, body: { enabled: true } });
    await lose(author);
    expect((await api.admin.alert.get({ params: rule })).stopped).toMatchObject({ why: expect.stringMatching(why) });
    await append(word());
    expect(await rule.round()).toEqual([]);
    const sinceMs = api.now();
    api.advance(10_000);
    expect(await health.round()).toContain(`firing rule:${rule.id}`);
    const { stopped } = await api.admin.alert.get({ params: rule });
    expect(stopped).toEqual({ since: sinceMs / 1000, why: expect.stringMatching(why) });
    await append(word());
    expect(await rule.round()).toEqual([]);
    await restore(author);
    await append(word());
    expect(await rule.round()).toHaveLength(1);
    expect(await api.admin.alert.get({ params: rule })).toMatchObject({ stopped: null });
    expect(await health.round()).toContain(`resolved rule:${rule.id}`);
    for (const { id } of [health, rule]) await api.admin.alert.remove({ params: { id } });
  });

  it('of a deleted author goes on when somebody else saves it', async () => {
    const author = await api.person('operator');
    const rule = await watch(api, { kind: 'errlog.count', count: 0 }, { filter: word() });
    await author.client.alert.update({ params: rule, body: { name: 'theirs' } });
    await append(rule.filter);
    expect(await rule.round()).toHaveLength(1);
    await api.server.deps.db.write(({ prisma }) => prisma.user.delete({ where: { id: author.id } }));
    await rule.round();
    expect(await rule.alerts()).toMatchObject([{ state: 'resolved' }]);
    expect((await api.admin.alert.get({ params: rule })).stopped?.why).toBe('Its author was deleted.');
    expect(await api.admin.alert.update({ params: rule, body: { cooldown: 0 } })).toMatchObject({ stopped: null });
    expect(await rule.round()).toHaveLength(2);
  });

  it('outlives its API token where it expires, and not where it is revoked', async () => {
    const scopes = ['alert:write', 'errlog:read'] as const;
    const [expiring, revoked] = await Promise.all(
      [api.now() + 60_000, 0].map(async (expire) => {
        const { id, token } = await api.admin.apiToken.create({ body: { expire, scopes: [...scopes] } });
        const rule = await using(token).alert.create({ body: { name: word(), when: { kind: 'errlog.new' } } });
        return { id, rule };
      }),
    );
    if (expiring === undefined || revoked === undefined) throw new Error('no rules');
    const stopOf = async ({ rule }: typeof expiring) => (await api.admin.alert.get({ params: rule })).stopped;
    api.advance(61_000);
    expect(await stopOf(expiring)).toBeNull();
    for (const { id } of [expiring, revoked]) await api.admin.apiToken.remove({ params: { id } });
    expect(await stopOf(expiring)).toBeNull();
    expect((await stopOf(revoked))?.why).toMatch(/was disabled or deleted/);
  });
});
