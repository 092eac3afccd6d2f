import { afterEach, describe, expect, it } from 'vitest';
import { createChannel, errlogCauses, watch } from '../../../test/alert-calls.ts';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';
import { copyGroup, reserveGroupId } from '../../../test/stored-groups.ts';
import { word } from '../../../test/word.ts';
import { createKinds } from './registry.ts';
import { createAlertRounds } from './round.ts';

const MINUTE_MS = 60_000;

const api = useSteadyApi({ PUBLIC_URL: 'https://logs.example.com' });
afterEach(() => removeFleet(api));

const { append, groupOf } = errlogCauses(() => api);

describe('a new rule', () => {
  it('reports what happens from the answer on, also before its first round', async () => {
    const channels = [await createChannel(api)];
    const create = (kind: 'errlog.new' | 'errlog.regressed', filter: string) =>
      api.admin.alert.create({ body: { name: word(), when: { kind }, filter, channels } });
    const [before, after, resolved] = [word(), word(), word()];
    await append(before, 1);
    await append(resolved, 1);
    const fresh = await create('errlog.new', `${before} OR ${after}`);
    await api.admin.errlog.update({ params: { id: await groupOf(resolved) }, body: { state: 'resolved' } });
    const again = await create('errlog.regressed', resolved);
    await append(after, 1);
    await append(resolved, 1);
    await api.server.jobs.runAlerts();
    const causes = async (id: number) =>
      (await api.admin.alert.instances({ query: { rule_id: id } })).data.map(({ key }) => key);
    expect(await causes(fresh.id)).toEqual([`group:${await groupOf(after)}`]);
    expect(await causes(again.id)).toEqual([`group:${await groupOf(resolved)}`]);
  });

  it.skipIf(DIALECT === 'sqlite')('notifies of a group that another server stores behind a newer one', async () => {
    const { db } = api.server.deps;
    const rule = await watch(api, { kind: 'errlog.new' });
    const id = await reserveGroupId(db);
    const log = word();
    await append(log, 1);
    const newer = await groupOf(log);
    expect(await rule.round()).toEqual([`firing group:${newer}`]);
    await copyGroup(db, newer, id);
    expect(await rule.round()).toEqual([`firing group:${newer}`, `firing group:${id}`]);
    expect(await rule.round()).toHaveLength(2);
  });
});

describe('a rule whose causes last', () => {
  it('notifies of a cause and its end, with a title that names it', async () => {
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
    expect(await rule.alerts()).toMatchObject([{ state: 'resolved', messages: 1, key: `group:${id}` }]);
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

  it('does not notify of muted groups, until they are unmuted', async () => {
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

  it('ends without a message what no longer matches a changed or disabled rule', async () => {
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
    await change({ when: { kind: 'errlog.count', count: 1 }, cooldown: 0 });
    expect(await rule.round()).toHaveLength(2);
    await change({ enabled: false });
    expect(await rule.round()).toHaveLength(2);
    expect(await rule.alerts()).toMatchObject([{ state: 'resolved' }, { state: 'resolved' }]);
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
    expect(warnings.filter((line) => JSON.parse(line).rule === broken.id)).toHaveLength(1);
    await api.admin.alert.remove({ params: { id: broken.id } });
    await api.admin.alert.remove({ params: { id: rule.id } });
    expect((await api.admin.alert.instances({ query: { rule_id: rule.id } })).meta.count).toBe(0);
  });
});

describe('a round that ends before its commit', () => {
  it('is repeated, and notifies of nothing twice', async () => {
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

  it('notifies of nothing twice when rounds overlap', async () => {
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
  it('notify once, and the other goes on when one has ended', async () => {
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
