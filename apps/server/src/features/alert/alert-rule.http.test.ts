import { describe, expect, it } from 'vitest';
import { createChannel } from '../../../test/alert-calls.ts';
import type { TestApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const api = useSteadyApi();

const rules = () => api.admin.alert;
const create = (body: Partial<Parameters<TestApi['admin']['alert']['create']>[0]['body']> = {}) =>
  rules().create({ body: { name: word(), when: { kind: 'errlog.new' }, ...body } });

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.fetch(`/admin-api/alert${path}`, {
    method,
    headers: { authorization: `Bearer ${api.adminToken}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('rules of alerts', () => {
  it('stores a rule with the defaults of its kind', async () => {
    const channel = await createChannel(api);
    const rule = await create({ name: 'many', when: { kind: 'errlog.count' }, channels: [channel, channel] });
    expect(rule).toMatchObject({
      name: 'many',
      enabled: true,
      when: { kind: 'errlog.count', count: 100, within: 300, per: 'group' },
      filter: '',
      for: 0,
      cooldown: 3600,
      channels: [channel],
      firing: 0,
      last_fired: null,
      stopped: null,
      created_by: 'admin',
    });
    expect(await rules().get({ params: { id: rule.id } })).toEqual(rule);
    expect((await rules().list({ query: { page_size: 1 } })).data).toEqual([rule]);
    const { data } = await api.admin.audit.list({ query: { action: 'alert.create', page_size: 1 } });
    expect(data[0]).toMatchObject({ target: { kind: 'alert_rule', id: rule.id } });
  });

  it.each([
    ['a setting of another kind', { when: { kind: 'errlog.new', count: 1 } }, 'body.when.count'],
    ['a time out of bounds', { when: { kind: 'errlog.count', within: 1 } }, 'body.when.within'],
    ['a filter that does not parse', { when: { kind: 'errlog.new' }, filter: 'level:(' }, 'body.filter'],
    ['a filter of a kind without one', { when: { kind: 'audit.broken' }, filter: 'x' }, 'body.filter'],
    ['a duration of a kind without an end', { when: { kind: 'errlog.new' }, for: 60 }, 'body.for'],
    ['an unknown channel', { when: { kind: 'errlog.new' }, channels: [999_999] }, 'body.channels'],
  ])('refuses %s', async (_, body, path) => {
    const answer = await ask('POST', '', { name: 'x', ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.err.fields.map((field: { path: string }) => field.path)).toEqual([path]);
  });

  it('changes what is given, and checks the rule as a whole', async () => {
    const { id } = await create({ when: { kind: 'errlog.count' }, for: 60 });
    expect(await rules().update({ params: { id }, body: { name: 'renamed' } })).toMatchObject({
      name: 'renamed',
      for: 60,
      when: { kind: 'errlog.count' },
    });
    const refused = await ask('PUT', `/${id}`, { when: { kind: 'errlog.new' } });
    expect(refused.body.err.fields).toEqual([
      { path: 'body.for', message: 'does not belong to errlog.new: it has no end' },
    ]);
    expect(await rules().get({ params: { id } })).toMatchObject({ name: 'renamed', when: { kind: 'errlog.count' } });
  });

  it('refuses a change of a state that the caller has not seen', async () => {
    const { id } = await create();
    const etag = (await ask('GET', `/${id}`)).headers.get('etag') ?? '';
    api.advance(1);
    const changed = await ask('PUT', `/${id}`, { enabled: false }, { 'if-match': etag });
    expect(changed.status).toBe(200);
    expect((await ask('PUT', `/${id}`, { enabled: true }, { 'if-match': etag })).status).toBe(412);
    expect((await ask('DELETE', `/${id}`, undefined, { 'if-match': etag })).status).toBe(412);
    const current = changed.headers.get('etag') ?? '';
    expect((await ask('DELETE', `/${id}`, undefined, { 'if-match': current })).status).toBe(200);
    expect((await ask('GET', `/${id}`)).status).toBe(404);
  });

  it('refuses more than 200 rules', async () => {
    const { db } = api.server.deps;
    const row = { name: 'filler', kind: 'errlog.new', cooldownS: 0, createdMs: 0n, createdBy: 'x', modifiedMs: 0n };
    const data = Array(200 - (await db.read.prisma.alertRule.count())).fill(row);
    await db.write(({ prisma }) => prisma.alertRule.createMany({ data }));
    await expect(create()).rejects.toMatchObject({ status: 409 });
    await db.write(({ prisma }) => prisma.alertRule.deleteMany({ where: { name: 'filler' } }));
  });
});

describe('POST /admin-api/alert/{id}/test', () => {
  it('sends a message to the channels of the rule', async () => {
    const channel = await createChannel(api);
    const off = await createChannel(api);
    await api.admin.webhook.update({ params: { id: off }, body: { enabled: false } });
    const { id, name } = await create({ channels: [channel, off] });
    const tested = await rules().test({ params: { id } });
    expect(tested).toEqual({ channels: [channel], deliveries: [{ id: expect.any(Number), channel }] });
    const params = { id: tested.deliveries[0]?.id ?? 0 };
    expect(await api.admin.webhook.delivery({ params })).toMatchObject({ type: 'alert.test', ...params });
    await expect(api.admin.webhook.delivery({ params: { id: 2_000_000_000 } })).rejects.toMatchObject({ status: 404 });
    const [delivery] = await api.server.deps.db.read.prisma.webhookDelivery.findMany({ where: { webhookId: channel } });
    expect(Number(delivery?.id)).toBe(params.id);
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({ data: { rule_id: id, rule: name, by: 'admin' } });
  });

  it('refuses a rule without an enabled channel', async () => {
    const { id } = await create({ channels: [await createChannel(api, false)] });
    await expect(rules().test({ params: { id } })).rejects.toMatchObject({ status: 409 });
  });
});
