// The contents of a message about an error, and the calls of people about an alert.
import type { AlertMessage, Permission } from '@quarterdeck/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { errlogCauses, watch } from '../../../test/alert-calls.ts';
import { addHistory, manyHosts } from '../../../test/fleet.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_S = 86_400;
const CONFIG = { kind: 'config', field: '/etc/nginx/upstream.conf', before: 'a', after: 'b' } as const;

const api = useSteadyApi({ PUBLIC_URL: 'https://logs.example.com' });
const { append, groupOf } = errlogCauses(() => api);
const db = () => api.server.deps.db;
const nowS = () => Math.floor(api.now() / 1000);
beforeEach(() => removeFleet(api));

/** A fleet in which some hosts have changed a file lately; returns the names of the hosts. */
async function fleetWith(changed: number, all: number, atS = nowS() - 240) {
  const ids = await manyHosts(db(), all, nowS() - 100 * 3600);
  await addHistory(db(), ids.slice(0, changed), atS, CONFIG);
  const rows = await db().read.prisma.agent.findMany({
    where: { id: { in: ids } },
    select: { id: true, hostname: true },
  });
  const nameOf = new Map(rows.map(({ id, hostname }) => [id, hostname]));
  return { ids, hosts: ids.map((id) => nameOf.get(id) ?? '') };
}

const firing = async (rule: Awaited<ReturnType<typeof watch>>) => {
  await rule.round();
  const messages = await rule.messages();
  return { messages, data: messages[0]?.data as Record<string, unknown> };
};

describe('a message about an error', () => {
  it('names the change that failing hosts made and others did not, the hosts, the lines and the links', async () => {
    const { hosts } = await fleetWith(3, 40);
    const rule = await watch(
      api,
      { kind: 'errlog.new' },
      { runbook: 'https://wiki.example.org/{service}', issue: 'https://git.example.org/new?title={title}' },
    );
    const log = `${word()} upstream 10.0.0.7 timed out`;
    for (const host of hosts.slice(0, 3)) await append(log, 3, { host, service: 'shop' });
    const { messages, data } = await firing(rule);
    expect(messages).toHaveLength(1);
    const [alert] = await rule.alerts();
    expect(data).toMatchObject({
      groups: [expect.any(Number), expect.any(Number), expect.any(Number)],
      what: { level: 4, service: 'shop' },
      counts: { count: 9, usual: 0 },
      hosts: { failing: 3, of: 40 },
      cause: {
        strength: 'strong',
        change: { kind: 'config', field: '/etc/nginx/upstream.conf', before: expect.any(Number) },
        why: null,
        settled: false,
      },
      incomplete: [],
      links: {
        alert: `https://logs.example.com/a/${alert?.id}`,
        error: `https://logs.example.com/e/${alert?.groups[0]}`,
        change: null,
        runbook: 'https://wiki.example.org/shop',
        issue: expect.stringContaining('https://git.example.org/new?title=New%20error%20on%20'),
      },
    });
    const { cause, lines, hosts: named, what } = data as unknown as AlertMessage;
    expect(cause?.sentence).toMatch(
      /^3 of 3 failing hosts changed the file \/etc\/nginx\/upstream\.conf, 4 min before \(.+\); none of 37 others did$/,
    );
    expect(named?.names.toSorted()).toEqual(hosts.slice(0, 3).toSorted());
    expect(what?.text).not.toContain('10.0.0.7');
    expect(lines).toHaveLength(3);
  });

  it('says why no change can be named, and names it once hosts have reported it', async () => {
    const { ids, hosts } = await fleetWith(0, 20);
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = word();
    const beganS = nowS();
    for (const host of hosts.slice(0, 2)) await append(log, 1, { host });
    const { data } = await firing(rule);
    expect(data).toMatchObject({
      cause: { sentence: null, why: expect.stringContaining('Too early'), next_look: api.now() / 1000 + 30 },
    });
    await addHistory(db(), ids.slice(0, 2), beganS - 60, CONFIG);
    api.advance(29 * SECOND_MS);
    expect(await rule.round()).toHaveLength(1);
    api.advance(SECOND_MS);
    expect((await rule.round()).map((text) => text.split(' ')[0])).toEqual(['firing', 'updated']);
    expect((await rule.messages())[1]?.data).toMatchObject({ cause: { strength: 'strong', settled: false } });
    // A known change is no news.
    for (const ms of [90 * SECOND_MS, 8 * MINUTE_MS]) {
      api.advance(ms);
      const types = (await rule.round()).map((text) => text.split(' ')[0]);
      expect(types.filter((type) => type === 'updated')).toHaveLength(1);
    }
    const [alert] = await rule.alerts();
    expect(alert?.cause).toMatchObject({ strength: 'strong', settled: true, next_look: null });
  });

  it('says that a source has no agent', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 1 }, { filter: log });
    await append(log, 5, { host: word() });
    const { data } = await firing(rule);
    expect(data).toMatchObject({
      cause: { sentence: null, why: 'The source has no agent, so its changes are not known.' },
      counts: { count: 5 },
      hosts: { failing: 1, of: null },
    });
  });

  it('is one for equal errors of several hosts while the error goes on', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = word();
    const [first, second, late] = [word(), word(), word()];
    await append(log, 1, { host: first });
    expect(await rule.round()).toHaveLength(1);
    for (const host of [second, late]) {
      api.advance(5 * SECOND_MS);
      await append(log, 1, { host });
      expect(await rule.round()).toHaveLength(1);
    }
    expect((await rule.alerts())[0]?.groups).toHaveLength(3);
    api.advance(11 * MINUTE_MS);
    const types = (texts: readonly string[]) => texts.map((text) => text.split(' ')[0]);
    expect(types(await rule.round()).toSorted()).toEqual(['firing', 'resolved', 'updated']);
    expect((await rule.messages()).find(({ type }) => type === 'alert.updated')?.data).toMatchObject({
      hosts: { failing: 3 },
    });
    await append(log, 1, { host: word() });
    expect(types(await rule.round()).filter((type) => type === 'firing')).toHaveLength(2);
  });

  it('is one for each channel, with the names of all rules that found it', async () => {
    const first = await watch(api, { kind: 'errlog.new' });
    const other = await watch(api, { kind: 'errlog.new' }, { channels: [first.channel] });
    const both = await watch(api, { kind: 'errlog.new' });
    await api.admin.alert.update({ params: { id: both.id }, body: { channels: [first.channel, both.channel] } });
    const log = word();
    await append(log, 1);
    await first.round();
    expect(await first.messages()).toMatchObject([{ data: { rule: first.name, also: [other.name, both.name] } }]);
    expect(await both.messages()).toMatchObject([{ data: { rule: both.name, also: [] } }]);
    const [own] = await first.alerts();
    expect(await other.alerts()).toMatchObject([{ messages: 0, parent_id: own?.id }]);
    expect(await both.alerts()).toMatchObject([{ messages: 1, parent_id: null }]);
    // A rule that finds it later has nothing to add.
    const spike = await watch(api, { kind: 'errlog.count', count: 3 }, { filter: log, channels: [first.channel] });
    await append(log, 5);
    await spike.round();
    expect(await first.messages()).toHaveLength(1);
    expect(await spike.alerts()).toMatchObject([{ state: 'firing', messages: 0, parent_id: own?.id }]);
  });

  it('has no changes of hosts for a rule whose author may not read agents', async () => {
    const { hosts } = await fleetWith(1, 5);
    const { token } = await api.admin.apiToken.create({
      body: { name: word(), scopes: ['alert:read', 'alert:write', 'errlog:read'] },
    });
    const rule = await watch(api, { kind: 'errlog.new' });
    await api.using(token).alert.update({ params: { id: rule.id }, body: { enabled: true } });
    await append(word(), 1, { host: hosts[0] });
    const { data } = await firing(rule);
    expect(data).toMatchObject({ cause: { sentence: null, why: expect.stringContaining('agent:read') } });
    expect(data).toMatchObject({ hosts: { of: null }, links: { change: null } });
  });
});

describe('an alert of an error', () => {
  it('lasts until the error has not happened for ten minutes', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = word();
    await append(log, 1);
    await rule.round();
    expect(await rule.alerts()).toMatchObject([{ state: 'firing', resolved: null }]);
    api.advance(9 * MINUTE_MS);
    await append(log, 1);
    api.advance(9 * MINUTE_MS);
    expect(await rule.round()).toHaveLength(1);
    api.advance(2 * MINUTE_MS);
    expect((await rule.round()).map((text) => text.split(' ')[0])).toEqual(['firing', 'resolved']);
  });

  it('is read with its newest lines by those who may, and does not exist for others', async () => {
    const { hosts } = await fleetWith(1, 5);
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = word();
    for (let i = 0; i < 25; i += 1) await append(log, 1, { host: hosts[0] });
    await rule.round();
    const [alert] = await rule.alerts();
    const params = { id: alert?.id ?? 0 };
    const read = await api.admin.alert.instance({ params });
    expect(read).toMatchObject({ rule: rule.name, until: null, meta: { complete: true }, counts: { count: 25 } });
    expect(read.lines).toHaveLength(20);
    expect(read.cause?.sentence).toContain('changed the file');
    const using = async (...scopes: Permission[]) =>
      api.using((await api.admin.apiToken.create({ body: { name: word(), scopes } })).token);
    const noErrors = await using('alert:read', 'agent:read');
    await expect(noErrors.alert.instance({ params })).rejects.toMatchObject({ code: 'not_found' });
    const noAgents = await using('alert:read', 'errlog:read');
    const masked = await noAgents.alert.instance({ params });
    expect(masked.cause).toMatchObject({ sentence: null, change: null, link: null });
    expect(JSON.stringify(masked)).not.toContain('upstream.conf');
    expect(JSON.stringify(await noAgents.alert.instances({ query: {} }))).not.toContain('upstream.conf');
    await expect(api.admin.alert.instance({ params: { id: 999_999 } })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is sent again until somebody acknowledges it, who is named from then on', async () => {
    const log = word();
    const rule = await watch(api, { kind: 'errlog.count', count: 1, within: 3600 }, { filter: log, repeat: 600 });
    await append(log, 5);
    await rule.round();
    const [alert] = await rule.alerts();
    api.advance(10 * MINUTE_MS);
    expect((await rule.round()).filter((text) => text.startsWith('firing'))).toHaveLength(2);
    const params = { id: alert?.id ?? 0 };
    const operator = await api.person('operator');
    const seen = await operator.client.alert.acknowledge({ params, body: { note: 'rolled back' } });
    expect(seen.acknowledged).toMatchObject({ by: operator.username, note: 'rolled back' });
    // The first one counts, and a second time is no error.
    await api.admin.alert.acknowledge({ params, body: {} });
    expect((await rule.alerts())[0]?.acknowledged?.by).toBe(operator.username);
    api.advance(20 * MINUTE_MS);
    expect((await rule.round()).filter((text) => text.startsWith('firing'))).toHaveLength(2);
    const viewer = await api.person('viewer');
    await expect(viewer.client.alert.acknowledge({ params, body: {} })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is assigned to a user who exists, or to nobody', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    await append(word(), 1);
    await rule.round();
    const params = { id: (await rule.alerts())[0]?.id ?? 0 };
    const { id, username } = await api.person('operator');
    expect((await api.admin.alert.assign({ params, body: { user: id } })).assigned).toEqual({ id, username });
    expect((await api.admin.alert.assign({ params, body: { user: null } })).assigned).toBeNull();
    // The name of another user is not for those who may not list users.
    const operator = await api.person('operator');
    expect((await operator.client.alert.assign({ params, body: { user: operator.id } })).assigned?.id).toBe(
      operator.id,
    );
    await expect(operator.client.alert.assign({ params, body: { user: id } })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(api.admin.alert.assign({ params, body: { user: 999_999 } })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  it('is muted with its groups, and a mute is taken back', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = word();
    await append(log, 1);
    await rule.round();
    const params = { id: (await rule.alerts())[0]?.id ?? 0 };
    const stateOf = async () => (await api.admin.errlog.get({ params: { id: await groupOf(log) } })).state;
    await api.admin.alert.mute({ params, body: { until: nowS() + 3600 } });
    expect(await stateOf()).toBe('muted');
    await api.admin.alert.mute({ params, body: { until: 0 } });
    expect(await stateOf()).toBe('ongoing');
    await api.admin.errlog.update({ params: { id: await groupOf(log) }, body: { state: 'resolved' } });
    await api.admin.alert.mute({ params, body: { until: 0 } });
    expect(await stateOf()).toBe('resolved');
  });

  it.each([
    ['to the minute', 3_601, '61m', 3_601],
    ['to the hour where it lasts for months', 100 * DAY_S, '2400h', 100 * DAY_S],
    ['for ever beyond a year', 367 * DAY_S, 'forever', 367 * DAY_S],
    ['for ever where it never ends', Number.MAX_SAFE_INTEGER, 'forever', 100 * 366 * DAY_S],
  ])('is muted with its groups %s', async (_, seconds, until, muted) => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = word();
    await append(log, 1);
    await rule.round();
    const params = { id: (await rule.alerts())[0]?.id ?? 0 };
    const end = Math.min(nowS() + seconds, Number.MAX_SAFE_INTEGER);
    const alert = await api.admin.alert.mute({ params, body: { until: end } });
    expect(Number(alert.muted_until) - nowS() - muted).toBeCloseTo(0, -1);
    expect(await api.admin.errlog.get({ params: { id: await groupOf(log) } })).toMatchObject({ state: 'muted', until });
    const past = api.admin.alert.mute({ params, body: { until: nowS() } });
    await expect(past).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('about something else is muted by itself, until a time', async () => {
    const rule = await watch(api, { kind: 'token.expiring', within: 86_400 }, { repeat: 600 });
    await api.admin.apiToken.create({ body: { name: word(), expire: api.now() + 3_600_000 } });
    await rule.round();
    const params = { id: (await rule.alerts())[0]?.id ?? 0 };
    await expect(api.admin.alert.mute({ params, body: { until: '100x' } })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    await api.admin.alert.mute({ params, body: { until: nowS() + 1200 } });
    api.advance(11 * MINUTE_MS);
    expect(await rule.round()).toHaveLength(1);
    api.advance(10 * MINUTE_MS);
    expect(await rule.round()).toHaveLength(2);
  });
});
