// A channel carries data of other nouns to its receiver: who chooses its events or sets its address needs their
// permissions, and a delivery shows its message to those who have them.
import type { Permission } from '@quarterdeck/core';
import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { watch } from '../../../test/alert-calls.ts';
import { SETTINGS } from '../../../test/messages.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { tokenStore } from '../../../test/token-store.ts';
import { word } from '../../../test/word.ts';

const api = useSteadyApi();
const { storeToken } = tokenStore(() => api);

const using = (apiToken: string) => createClient({ url: api.url, apiToken });
const withScopes = async (...scopes: Permission[]) => using(await storeToken(1, { scopes }));
const url = 'https://example.com/ops';
const refused = { status: 403, code: 'scope_missing' };

describe('a caller who may manage channels and nothing else', () => {
  it('chooses no events for them, and turns them off', async () => {
    const { webhook } = await withScopes('webhook:manage');
    const types = ['errlog.new' as const];
    await expect(webhook.create({ body: { name: 'x', url, types } })).rejects.toMatchObject(refused);
    const plain = { params: await webhook.create({ body: { name: 'x', url } }) };
    await expect(webhook.update({ ...plain, body: { types } })).rejects.toMatchObject(refused);
    const fed = { params: await api.admin.webhook.create({ body: { name: 'x', url, types } }) };
    await expect(webhook.update({ ...fed, body: { filter: 'x' } })).rejects.toMatchObject(refused);
    expect(await webhook.update({ ...fed, body: { enabled: false } })).toMatchObject({ enabled: false, types });
    await expect(webhook.update({ ...fed, body: { enabled: true } })).rejects.toMatchObject(refused);
    expect(await webhook.update({ ...fed, body: { types: [], enabled: true } })).toMatchObject({ types: [] });
  });

  it('moves no channel that carries what they may not read', async () => {
    const [{ webhook }, reader] = [
      await withScopes('webhook:manage'),
      await withScopes('webhook:manage', 'alert:read', 'errlog:read'),
    ];
    const body = { url: 'https://example.com/elsewhere' };
    const ruled = await api.admin.webhook.create({ body: { name: 'x', url } });
    const when = { kind: 'errlog.new' as const };
    const rule = await api.admin.alert.create({ body: { name: word(), when, channels: [ruled.id] } });
    await expect(webhook.update({ params: ruled, body })).rejects.toMatchObject(refused);
    await api.admin.errlog.append({ body: { level: 'error', log: word() } });
    await api.server.jobs.runAlerts();
    await api.admin.alert.remove({ params: rule });
    // The stored message would go to the new address.
    await expect(webhook.update({ params: ruled, body })).rejects.toMatchObject(refused);
    expect(await reader.webhook.update({ params: ruled, body })).toMatchObject(body);
    const empty = await webhook.create({ body: { name: 'x', url } });
    expect(await webhook.update({ params: empty, body })).toMatchObject(body);
  });

  it('sets no account at a service that gets what they may not read', async () => {
    const [{ webhook }, reader] = [
      await withScopes('webhook:manage'),
      await withScopes('webhook:manage', 'alert:read', 'errlog:read'),
    ];
    const params = await api.admin.webhook.create({ body: { name: 'x', kind: 'telegram', ...SETTINGS.telegram } });
    const when = { kind: 'errlog.new' as const };
    await api.admin.alert.create({ body: { name: word(), when, channels: [params.id] } });
    for (const body of [{ token: '123456:another-secret-0123456789' }, { chat: '@elsewhere' }]) {
      await expect(webhook.update({ params, body })).rejects.toMatchObject(refused);
      await reader.webhook.update({ params, body });
    }
    expect(await webhook.update({ params, body: { prefix: '[shop]' } })).toMatchObject({ chat: '@elsewhere' });
  });

  it('reads deliveries without their messages, and sends none again', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.new' });
    await api.admin.errlog.append({ body: { level: 'error', log } });
    await rule.round();
    // Otherwise the sender might store its own result later.
    await api.server.sender.settle();
    const { db } = api.server.deps;
    const error = `The receiver answers 400: cannot read ${log}`;
    const data = { state: 'dead', status: 400, error };
    await db.write(({ prisma }) => prisma.webhookDelivery.updateMany({ where: { webhookId: rule.channel }, data }));
    const params = { id: rule.channel };
    const read = async (...scopes: Permission[]) =>
      (await (await withScopes('webhook:manage', ...scopes)).webhook.deliveries({ params })).data[0];
    const hidden = { body: {}, error: 'The receiver answers 400.' };
    expect(await read()).toMatchObject({ ...hidden, needs: 'alert:read' });
    expect(await read('alert:read')).toMatchObject({ ...hidden, needs: 'errlog:read', type: 'alert.firing' });
    const shown = await read('alert:read', 'errlog:read');
    expect(shown).toMatchObject({ needs: null, error, body: { data: { title: expect.stringContaining(log) } } });
    const again = { params: { id: shown?.id ?? 0 } };
    const { webhook } = await withScopes('webhook:manage', 'alert:read');
    await expect(webhook.redeliver(again)).rejects.toMatchObject(refused);
    await expect(api.admin.webhook.redeliver(again)).resolves.toMatchObject({ state: 'waiting' });
  });
});

describe('events of a channel', () => {
  const publish = (id: number) =>
    api.server.deps.db.write((tx) =>
      api.server.deps.events.publish(tx, [
        { type: 'user.revoked', data: { id } },
        { type: 'agent.removed', data: { id } },
      ]),
    );
  const sent = async (webhookId: number) => {
    await api.server.sender.settle();
    const rows = await api.server.deps.db.read.prisma.webhookDelivery.findMany({
      where: { webhookId },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ type, body }) => `${type} ${JSON.parse(body).data.id}`);
  };
  /** On PostgreSQL an event waits for writes that began before it. */
  const expectSent = (webhookId: number, skipped: number, events: readonly string[]) =>
    expect.poll(async () => (await sent(webhookId)).slice(skipped)).toEqual(events);

  it('are sent with the rights that those who chose them have now', async () => {
    const chooser = await api.person('master');
    const scopes: Permission[] = ['webhook:manage', 'agent:read', 'api_token:read'];
    const { webhook } = using(await storeToken(chooser.id, { scopes }));
    const health = await watch(api, { kind: 'server.health' });
    const types = ['user.revoked' as const, 'agent.removed' as const];
    const { id } = await webhook.create({ body: { name: 'fed', url, types } });
    await publish(1);
    await expectSent(id, 0, ['user.revoked 1', 'agent.removed 1']);
    const { db } = api.server.deps;
    const narrowed = { where: { userId: chooser.id, scopes: { not: '' } } };
    await db.write(({ prisma }) =>
      prisma.apiToken.updateMany({ ...narrowed, data: { scopes: 'agent:read webhook:manage' } }),
    );
    await publish(2);
    await expectSent(id, 2, ['agent.removed 2']);
    expect(await api.admin.webhook.get({ params: { id } })).toMatchObject({ withheld: ['user.revoked'] });
    expect(await health.round()).toContain(`firing channel-events:${id}`);
    await db.write(({ prisma }) => prisma.user.update({ where: { id: chooser.id }, data: { role: 'operator' } }));
    await publish(3);
    expect((await sent(id)).slice(3)).toEqual([]);
    await api.admin.webhook.update({ params: { id }, body: { types } });
    await publish(4);
    await expectSent(id, 3, ['user.revoked 4', 'agent.removed 4']);
    expect(await health.round()).toContain(`resolved channel-events:${id}`);
  });
});
