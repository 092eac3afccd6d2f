import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watch } from '../../../test/alert-calls.ts';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { createKinds } from './kinds/registry.ts';
import { createAlertRounds } from './round.ts';

const MINUTE_MS = 60_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const append = (log: string, count: number, more: Record<string, unknown> = {}) =>
  api.admin.errlog.append({ body: { level: 'error', log, count, ...more } });
const groupOf = async (log: string) => (await api.admin.errlog.list({ query: { q: log } })).data[0]?.id ?? 0;

describe('a rule whose causes last', () => {
  it('tells a cause and its end, with a title that names it', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 10 }, { filter: log });
    await append(log, 10);
    expect(await rule.round()).toEqual([]);
    await append(log, 5);
    const id = await groupOf(log);
    expect(await rule.round()).toEqual([`firing group:${id}`]);
    expect(await rule.round()).toHaveLength(1);
    expect((await rule.messages())[0]?.data).toMatchObject({
      title: `15 times in 5 min: admin: ERROR: ${log}`,
      detail: { n: 15, within: 300, group: { group: id } },
    });
    expect(await api.admin.alert.get({ params: { id: rule.id } })).toMatchObject({ firing: 1 });
    api.advance(6 * MINUTE_MS);
    expect(await rule.round()).toEqual([`firing group:${id}`, `resolved group:${id}`]);
    expect(await rule.alerts()).toMatchObject([{ state: 'resolved', messages: 1, cause: `group:${id}` }]);
    expect((await api.admin.alert.get({ params: { id: rule.id } })).last_fired).toBeGreaterThan(0);
    const list = (query: object) => api.admin.alert.instances({ query: { rule_id: rule.id, ...query } });
    expect((await list({ state: 'resolved', kind: 'errlog.count' })).meta.count).toBe(1);
    expect((await list({ state: 'firing' })).meta.count).toBe(0);
    expect((await list({ kind: 'silence' })).meta.count).toBe(0);
  });

  it('waits for as long as the rule says, and forgets what ends before', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 1 }, { filter: log, for: 120 });
    await append(log, 5);
    expect(await rule.round()).toEqual([]);
    expect(await rule.alerts()).toMatchObject([{ state: 'pending', messages: 0, fired: null }]);
    api.advance(2 * MINUTE_MS);
    expect(await rule.round()).toHaveLength(1);
    const short = word();
    const other = await watch(api, { kind: 'errlog.count', count: 1, within: 60 }, { filter: short, for: 300 });
    await append(short, 5);
    await other.round();
    api.advance(3 * MINUTE_MS);
    expect(await other.round()).toEqual([]);
    expect(await other.alerts()).toEqual([]);
  });

  it('counts by source and by service', async () => {
    const [host, service] = [word(), word()];
    const body = { host, service };
    const bySource = await watch(api, { kind: 'errlog.count', count: 10, per: 'source' }, { filter: `host:${host}` });
    const byService = await watch(
      api,
      { kind: 'errlog.count', count: 10, per: 'service' },
      { filter: `service:${service}` },
    );
    for (let i = 0; i < 3; i += 1) await append(word(), 4, body);
    expect(await bySource.round()).toHaveLength(1);
    expect((await bySource.messages())[0]?.data.title).toBe(`12 times in 5 min: ${host}`);
    expect(await byService.round()).toEqual([`firing service:${service}`]);
  });

  it('counts only lines that match a condition on fields', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 10 }, { filter: `${log} color:red` });
    await append(log, 20, { fields: { color: 'blue' } });
    await append(log, 10, { fields: { color: 'red' } });
    expect(await rule.round()).toEqual([]);
    await append(log, 1, { fields: { color: 'red' } });
    expect(await rule.round()).toHaveLength(1);
  });

  it('does not tell muted groups, until they are unmuted', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 1 }, { filter: log });
    await append(log, 1);
    const id = await groupOf(log);
    await api.admin.errlog.update({ params: { id }, body: { state: 'muted' } });
    await append(log, 50);
    expect(await rule.round()).toEqual([]);
    expect(await rule.alerts()).toMatchObject([{ state: 'firing', messages: 0 }]);
    await api.admin.errlog.update({ params: { id }, body: { state: 'ongoing' } });
    expect(await rule.round()).toEqual([`firing group:${id}`]);
  });

  it('ends without a message what no longer matches a changed rule', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 1 }, { filter: log });
    await append(log, 5);
    expect(await rule.round()).toHaveLength(1);
    const change = (body: object) => api.admin.alert.update({ params: { id: rule.id }, body });
    await change({ name: 'renamed' });
    await rule.round();
    expect(await rule.alerts()).toMatchObject([{ state: 'firing' }]);
    await change({ when: { kind: 'errlog.count', count: 1_000 } });
    expect(await rule.round()).toHaveLength(1);
    expect(await rule.alerts()).toMatchObject([{ state: 'resolved' }]);
  });

  it('ends without a message what a disabled rule has found', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 1 }, { filter: log });
    await append(log, 5);
    await rule.round();
    await api.admin.alert.update({ params: { id: rule.id }, body: { enabled: false } });
    expect(await rule.round()).toHaveLength(1);
    expect(await rule.alerts()).toMatchObject([{ state: 'resolved' }]);
  });

  it('goes on after a deleted channel, and when another rule fails', async () => {
    const log = word();
    const broken = await watch(api, { kind: 'errlog.new' });
    const { db } = api.server.deps;
    await db.write(({ prisma }) =>
      prisma.alertRule.update({ where: { id: broken.id }, data: { position: '{"x":1}' } }),
    );
    const rule = await watch(api, { kind: 'errlog.count', count: 1 }, { filter: log });
    await db.write(({ prisma }) => prisma.webhook.delete({ where: { id: rule.channel } }));
    await append(log, 5);
    await rule.round();
    await rule.round();
    expect(await rule.alerts()).toMatchObject([{ state: 'firing', messages: 1 }]);
    const warnings = api.logged.filter((line) => line.includes('evaluating a rule of alerts failed'));
    expect(warnings).toHaveLength(1);
    await api.admin.alert.remove({ params: { id: broken.id } });
    await api.admin.alert.remove({ params: { id: rule.id } });
    expect((await api.admin.alert.instances({ query: { rule_id: rule.id } })).meta.count).toBe(0);
  });
});

describe('errlog.spike', () => {
  it('tells what is far more than usual, not what is new or steady', async () => {
    const [steady, fresh] = [word(), word()];
    const rule = await watch(api, { kind: 'errlog.spike', per: 'service' }, { filter: `service:${steady},${fresh}` });
    const endS = Math.floor(api.now() / 1000);
    const line = (service: string, count: number, agoS: number) => ({
      ...{ level: 'error', log: `${service} fails`, service, count, log_time: endS - agoS },
    });
    const minutes = Array.from({ length: 180 }, (_, i) => (i + 1) * 60);
    await api.admin.errlog.append({ body: minutes.map((agoS) => line(steady, 4, agoS)) });
    expect(await rule.round()).toEqual([]);
    await api.admin.errlog.append({ body: [line(steady, 200, 0), line(fresh, 200, 0)] });
    expect(await rule.round()).toEqual([`firing service:${steady}`]);
    const when = { kind: 'errlog.spike', per: 'service' } as const;
    const preview = await api.admin.alert.preview({ body: { when, filter: `service:${steady},${fresh}` } });
    expect(preview).toMatchObject({ fired: 1, complete: true, examples: [{ cause: `service:${steady}` }] });
  });
});

describe('silence', () => {
  const sendFor = async (host: string, minutes: number) => {
    for (let i = 0; i < minutes; i += 5) {
      await append(`${host} lives`, 1, { host, service: host });
      api.advance(5 * MINUTE_MS);
    }
  };

  it.each(['source', 'service'] as const)('tells a %s that usually sends, and that it sends again', async (per) => {
    const [host, seldom] = [word(), word()];
    // A filter leaves only what this test sends; by source alone the ledger decides.
    const filter = per === 'source' ? '' : `service:${host},${seldom}`;
    const rule = await watch(api, { kind: 'silence', per, within: 900 }, { filter });
    await append(`${seldom} lives`, 1, { host: seldom, service: seldom });
    await sendFor(host, 90);
    expect(await rule.round()).toEqual([]);
    api.advance(12 * MINUTE_MS);
    expect(await rule.round()).toHaveLength(1);
    expect((await rule.messages())[0]?.data.title).toBe(`No lines of ${host} for 15 min`);
    const preview = await api.admin.alert.preview({ body: { when: { kind: 'silence', per, within: 900 }, filter } });
    expect(preview).toMatchObject({ fired: 1, complete: true });
    await append(`${host} lives`, 1, { host, service: host });
    const told = await rule.round();
    expect(told.map((one) => one.split(' ')[0])).toEqual(['firing', 'resolved']);
  });
});

describe('an outage', () => {
  it('has the errors under it that begin on its hosts', async () => {
    const agent = await api.agent();
    const { db } = api.server.deps;
    const outageRule = await watch(api, { kind: 'agent.outage' });
    const rule = await watch(api, { kind: 'errlog.new' });
    await db.write(async ({ prisma }) => {
      const outage = await prisma.outage.create({ data: { startedMs: api.now(), lost: 1 } });
      await prisma.agent.update({ where: { id: agent.id }, data: { outageId: outage.id, state: 'offline' } });
    });
    const [inside, outside] = [word(), word()];
    await agent.client.errlog.append({ body: { level: 'error', log: inside } });
    await append(outside, 1);
    expect(await rule.round()).toEqual([`firing group:${await groupOf(outside)}`]);
    const [parent] = await outageRule.alerts();
    const hanging = (await rule.alerts()).find(({ messages }) => messages === 0);
    expect(hanging).toMatchObject({ cause: `group:${await groupOf(inside)}`, parent_id: parent?.id });
    expect(parent).toMatchObject({ under: 1, messages: 1 });
    // Without a rule that tells of the outage, they are told themselves.
    await api.admin.alert.remove({ params: { id: outageRule.id } });
    const later = word();
    await agent.client.errlog.append({ body: { level: 'error', log: later } });
    expect(await rule.round()).toHaveLength(2);
  });
});

describe('a round that ends before its commit', () => {
  it('is repeated, and tells nothing twice', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.new' }, { filter: log });
    await append(log, 1);
    const { events } = api.server.deps;
    const { publish } = events;
    // The last step of the write: everything before it is rolled back.
    Object.assign(events, { publish: () => Promise.reject(new Error('killed')) });
    expect(await rule.round()).toEqual([]);
    Object.assign(events, { publish });
    expect(await rule.round()).toHaveLength(1);
    expect(await rule.round()).toHaveLength(1);
  });

  it('tells nothing twice when rounds overlap', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.new' }, { filter: log });
    const lasting = await watch(api, { kind: 'errlog.count', count: 1 }, { filter: log });
    await append(log, 5);
    const { deps, jobs } = api.server;
    const other = createAlertRounds(deps, createKinds(deps));
    await Promise.all([jobs.runAlerts(), other.run(() => false), jobs.runAlerts(), other.run(() => false)]);
    expect(await rule.round()).toHaveLength(1);
    expect(await lasting.round()).toHaveLength(1);
  });
});

describe.skipIf(DIALECT === 'sqlite')('two servers', () => {
  it('tell once, and the other goes on when one has ended', async () => {
    await using a = await startApi();
    const b = await startApi(a.sharing);
    const rule = await watch(a, { kind: 'errlog.new' });
    const both = () => Promise.all([a.server.jobs.runAlerts(), b.server.jobs.runAlerts()]);
    const appendTo = (one: TestApi) => one.admin.errlog.append({ body: { level: 'error', log: word() } });
    await appendTo(a);
    await both();
    await appendTo(b);
    await both();
    expect(await rule.round()).toHaveLength(2);
    await a.server.jobs.stop();
    await b[Symbol.asyncDispose]();
    await appendTo(a);
    a.advance(MINUTE_MS);
    expect(await rule.round()).toHaveLength(3);
  });
});
