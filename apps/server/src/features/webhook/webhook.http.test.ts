import type { WebhookChange } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { NO_TRANSPORTS, type TestApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const SLACK = 'https://hooks.example.com/services/T0/B0/verysecret';

const refusalOf = async (url: string) => (url.includes('//10.') ? 'is a private address' : undefined);
const api = useSteadyApi({}, { transports: { ...NO_TRANSPORTS, refusalOf } });

type Draft = Parameters<TestApi['admin']['webhook']['create']>[0]['body'];
const create = (draft: Partial<Draft> = {}) =>
  api.admin.webhook.create({ body: { name: 'ops', url: 'https://example.com/hook?team=ops', ...draft } });
const get = (id: number) => api.admin.webhook.get({ params: { id } });
const update = (id: number, body: WebhookChange) => api.admin.webhook.update({ params: { id }, body });
const test = (id: number) => api.admin.webhook.test({ params: { id } });
const stored = (id: number) => api.server.deps.db.read.prisma.webhook.findUniqueOrThrow({ where: { id } });
/** The newest entry of an action: refusals are recorded in the background, also between two calls of a test. */
const newestAudit = async (action: string) => (await api.admin.audit.list({ query: { action, page_size: 1 } })).data[0];

describe('a channel', () => {
  it('shows its secret once, and is listed without it', async () => {
    const made = await create({ types: ['agent.outage', 'errlog.new', 'agent.outage'], filter: 'level<=error' });
    const { secret, ...shown } = made;
    expect(secret).toMatch(SECRET);
    expect(shown).toEqual({
      id: made.id,
      name: 'ops',
      kind: 'standard',
      url: 'https://example.com/hook?team=ops',
      to: [],
      types: ['agent.outage', 'errlog.new'],
      filter: 'level<=error',
      enabled: true,
      prefix: '',
      parts: [],
      chat: null,
      secrets: [],
      withheld: [],
      waiting: 0,
      dead: 0,
      failing_since: null,
      gone_since: null,
      rules: 0,
      created: expect.any(Number),
      created_by: 'admin',
      modified: made.created,
    });
    expect(await get(made.id)).toEqual(shown);
    const { data, meta } = await api.admin.webhook.list();
    expect(data[0]).toEqual(shown);
    expect(meta.count).toBe(data.length);
  });

  it('has its address and its secret in no log, audit entry or column', async () => {
    const { id, secret } = await create({ url: 'https://example.com/hook?token=hushhush' });
    await update(id, { url: 'https://example.com/other?token=hushhush' });
    const { secret: next } = await api.admin.webhook.rotate({ params: { id }, body: { grace: 60 } });
    await test(id);
    const row = await stored(id);
    const seen = [
      ...[await api.admin.audit.list(), await api.admin.webhook.deliveries({ params: { id } }), api.logged],
      ...[row.url, row.secret, row.previousSecret].map((bytes) => Buffer.from(bytes ?? []).toString('latin1')),
    ];
    const text = JSON.stringify(seen);
    for (const hidden of ['hushhush', secret ?? '', next ?? '']) expect(text).not.toContain(hidden);
    expect((await newestAudit('webhook.test'))?.target).toEqual({ kind: 'webhook', id });
  });

  it.each(['slack', 'teams'] as const)('of %s shows the host alone, and takes it back unchanged', async (kind) => {
    const made = await create({ kind, url: SLACK });
    expect(made).toMatchObject({ url: 'https://hooks.example.com', secret: null });
    const before = await stored(made.id);
    expect((await update(made.id, { name: 'renamed', url: made.url ?? '' })).name).toBe('renamed');
    expect((await stored(made.id)).url).toEqual(before.url);
  });

  it.each([
    ['an address in e-mail', { kind: 'email', to: ['a@example.com'] }, 'url'],
    ['recipients beside an address', { to: ['a@example.com'] }, 'to'],
    ['no address', { url: undefined }, 'url'],
    ['no recipients', { kind: 'email', url: undefined }, 'to'],
    ['a recipient with a line break', { kind: 'email', url: undefined, to: ['a@example.com\r\nBcc: b@c.d'] }, 'to.0'],
    ['a password in the address', { url: 'https://user:pass@example.com/' }, 'url'],
    ['port 0 in the address', { url: 'https://example.com:0/hook' }, 'url'],
    ['port 0 in other words', { kind: 'slack', url: 'http://example.com:00000' }, 'url'],
    ['another scheme', { url: 'file:///etc/passwd' }, 'url'],
    ['a type of many', { types: ['line'] }, 'types.0'],
    ['other events than alerts for Alertmanager', { kind: 'alertmanager', types: ['errlog.new'] }, 'types'],
    ['a filter that does not parse', { filter: '(' }, 'filter'],
  ])('refuses %s', async (_, draft, path) => {
    await expect(create(draft as Partial<Draft>)).rejects.toMatchObject({
      status: 400,
      fields: [{ path: `body.${path}` }],
    });
  });

  it('keeps its kind: fields of others are refused', async () => {
    const [hook, mail] = [
      await create(),
      await create({ kind: 'email', url: undefined, to: ['a@example.com'] } as Draft),
    ];
    await expect(update(hook.id, { to: ['a@example.com'] })).rejects.toMatchObject({ fields: [{ path: 'body.to' }] });
    await expect(update(mail.id, { url: SLACK })).rejects.toMatchObject({ fields: [{ path: 'body.url' }] });
    const { id } = await create({ kind: 'alertmanager' });
    await expect(update(id, { types: ['errlog.new'] })).rejects.toMatchObject({ fields: [{ path: 'body.types' }] });
    expect(await update(mail.id, { to: ['b@example.com', 'c@example.com'] })).toMatchObject({
      kind: 'email',
      url: null,
      to: ['b@example.com', 'c@example.com'],
    });
  });

  it('does not go to a private address, whose refusal differs from that of a token', async () => {
    const refusal = { status: 400, code: 'address_not_allowed', fields: [{ path: 'body.url' }] };
    await expect(create({ url: 'http://10.0.0.1/' })).rejects.toMatchObject(refusal);
    const { id } = await create();
    await expect(update(id, { url: 'http://10.0.0.1/' })).rejects.toMatchObject(refusal);
    expect((await get(id)).url).not.toContain('10.0.0.1');
  });

  it('is limited in number', async () => {
    const count = await api.server.deps.db.read.prisma.webhook.count();
    const row = { name: 'filler', kind: 'slack', createdMs: 1, createdBy: '', modifiedMs: 1 };
    await api.server.deps.db.write((tx) =>
      tx.prisma.webhook.createMany({ data: Array.from({ length: 200 - count }, () => row) }),
    );
    await expect(create()).rejects.toMatchObject({ status: 409, code: 'conflict' });
    await api.server.deps.db.write((tx) => tx.prisma.webhook.deleteMany({ where: { name: 'filler' } }));
    await create();
  });

  it('is deleted with its deliveries', async () => {
    const { id } = await create({ enabled: true });
    await test(id);
    await api.admin.webhook.remove({ params: { id } });
    await expect(get(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await api.server.deps.db.read.prisma.webhookDelivery.count({ where: { webhookId: id } })).toBe(0);
    const deletion = await newestAudit('webhook.delete');
    expect(deletion?.detail).toMatchObject({ before: { name: 'ops', url: 'https://example.com' } });
    await expect(api.admin.webhook.remove({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the secret of a channel', () => {
  it('is replaced, and without a grace at once', async () => {
    const { id, secret } = await create();
    const rotated = await api.admin.webhook.rotate({ params: { id }, body: {} });
    expect(rotated.secret).toMatch(SECRET);
    expect(rotated.secret).not.toBe(secret);
    expect(await stored(id)).toMatchObject({ previousSecret: null, previousUntilMs: 0n });
  });

  it('is refused for kinds that have none', async () => {
    const { id } = await create({ kind: 'slack', url: SLACK });
    await expect(api.admin.webhook.rotate({ params: { id }, body: {} })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('cannot be read by another channel', async () => {
    const [a, b] = [await create(), await create()];
    const { url } = await stored(a.id);
    await api.server.deps.db.write((tx) => tx.prisma.webhook.update({ where: { id: b.id }, data: { url } }));
    await expect(get(b.id)).rejects.toMatchObject({ status: 500 });
    await api.server.deps.db.write((tx) => tx.prisma.webhook.delete({ where: { id: b.id } }));
  });
});

describe('deliveries', () => {
  it('are listed newest first, by state, in pages', async () => {
    const { id } = await create({ enabled: true });
    const [first, second] = [await test(id), await test(id)];
    expect(first).toMatchObject({ type: 'webhook.test', message_id: expect.stringMatching(/^msg_[0-9A-Za-z]{24}$/) });
    expect(first.body).toMatchObject({ type: 'webhook.test', data: { webhook: { id, name: 'ops' } } });
    const list = async (query: object) =>
      (await api.admin.webhook.deliveries({ params: { id }, query })).data.map((delivery) => delivery.id);
    expect(await list({})).toEqual([second.id, first.id]);
    expect(await list({ page_size: 1, page: 2 })).toEqual([first.id]);
    expect(await list({ state: 'dead' })).toEqual([]);
    await expect(list({ page_size: 501 })).rejects.toMatchObject({ status: 400 });
    await expect(list({ start: 0, end: 501 })).rejects.toMatchObject({ status: 400 });
    const missing = api.admin.webhook.deliveries({ params: { id: 2_000_000_000 } });
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a disabled channel are refused as a test', async () => {
    const { id } = await create({ enabled: false });
    await expect(test(id)).rejects.toMatchObject({ status: 409, code: 'conflict' });
  });
});
