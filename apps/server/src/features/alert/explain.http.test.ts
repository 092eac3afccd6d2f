// Explanations of rules: why one fired or did not, now and at an earlier moment.
import { ALERT_KIND_NAMES, type AlertExplanation, type Permission, permissionsOf } from '@quarterdeck/core';
import { createClient } from '@quarterdeck/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { agentCalls } from '../../../test/agent-calls.ts';
import { alertCalls } from '../../../test/alert-kind-calls.ts';
import { newFleet } from '../../../test/fleet.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';

import { tokenStore } from '../../../test/token-store.ts';
import { word } from '../../../test/word.ts';

const HOUR_MS = 3_600_000;
const SILENT_MS = 91_000;

const api = useSteadyApi();
const calls = alertCalls(api);
const { beat } = agentCalls(api);
const { storeToken } = tokenStore(() => api);
afterEach(() => removeFleet(api));

const nowS = () => Math.floor(api.now() / 1000);
const explain = (id: number, at?: number) =>
  api.admin.alert.explain({ params: { id }, body: at === undefined ? {} : { at } });
const append = (log: string, count = 1) => api.admin.errlog.append({ body: { level: 'error', log, count } });
const of = ({ conditions }: AlertExplanation, name: string) => conditions.filter((one) => one.name === name);

it.each(nonEmpty(ALERT_KIND_NAMES))('explains a rule of the kind %s that found nothing', async (kind) => {
  const id = await calls.watch({ when: { kind }, ...(kind.startsWith('errlog.') && { filter: word() }) });
  const found = await explain(id);
  expect(found).toMatchObject({ at: api.now() / 1000, fired: false, alerts: [] });
  expect(found.verdict).toMatch(/^It did not fire: /);
  expect(found.conditions.slice(0, 2)).toMatchObject([
    { name: 'enabled', met: true },
    { name: 'author', met: true },
  ]);
  expect(found.why_incomplete === null).toBe(found.complete);
});

describe('the explanation of errlog.count', () => {
  it('has the number against the limit before and after it is exceeded', async () => {
    const log = word();
    await append(log, 5);
    const id = await calls.watch({ when: { kind: 'errlog.count', count: 5, within: 300 }, filter: log });
    const before = await explain(id);
    expect(before).toMatchObject({ fired: false, alerts: [], complete: true });
    expect(of(before, 'matching')).toMatchObject([{ value: 1, met: true }]);
    expect(of(before, 'count')).toMatchObject([{ value: 5, limit: 5, met: false }]);
    expect(before.verdict).toBe(
      `It did not fire: 5 occurrences in 5 min, more than 5 are needed: admin: ERROR: ${log}`,
    );
    await append(log);
    await calls.round();
    const after = await explain(id);
    expect(after).toMatchObject({
      fired: true,
      complete: true,
      alerts: [{ rule_id: id, state: 'firing', messages: 1 }],
    });
    expect(after.verdict).toMatch(/^It fired: 1 alert of it was open, the first message at .* UTC: 6 times in 5 min: /);
    expect(of(after, 'count')).toMatchObject([{ value: 6, limit: 5, met: true }]);
    expect(of(after, 'causes')).toMatchObject([{ value: 1, limit: 0, met: true }]);
    expect(of(after, 'cooldown')).toMatchObject([{ value: null, met: true }]);
    expect(of(after, 'repeat')).toMatchObject([{ limit: 0, met: false }]);
  });

  it('looks at an earlier moment, and says what is not known of it', async () => {
    const log = word();
    const id = await calls.watch({ when: { kind: 'errlog.count', count: 2, within: 300 }, filter: log });
    api.advance(HOUR_MS);
    const quiet = nowS();
    api.advance(HOUR_MS);
    await append(log, 3);
    await calls.round();
    const loud = nowS();
    api.advance(HOUR_MS);
    await calls.round();
    expect(await explain(id)).toMatchObject({ fired: false, alerts: [] });
    const then = await explain(id, loud);
    expect(then).toMatchObject({ at: loud, fired: true, complete: false, alerts: [{ state: 'resolved' }] });
    expect(then.why_incomplete).toBe('Earlier permissions of its author are not stored.');
    expect(of(then, 'count')).toMatchObject([{ value: 3, limit: 2, met: true }]);
    expect(of(then, 'author')).toMatchObject([{ met: null }]);
    const before = await explain(id, quiet);
    expect(before).toMatchObject({ fired: false, alerts: [] });
    expect(of(before, 'count')).toEqual([]);
    expect(of(before, 'causes')).toMatchObject([{ value: 0, met: false }]);
  });

  it('says that the cause does not last long enough, that its last notification is recent, or that it is muted', async () => {
    const log = word();
    const when = { kind: 'errlog.count', count: 0, within: 60 } as const;
    const patient = await calls.watch({ when, filter: log, for: 600 });
    const once = await calls.watch({ when, filter: log });
    await append(log);
    await calls.round();
    expect((await explain(patient)).verdict).toBe(
      'It did not fire: It had lasted for 0 s of the 10 min that are needed.',
    );
    api.advance(120_000);
    await calls.round();
    await append(log);
    await calls.round();
    const again = await explain(once);
    expect(again.fired).toBe(false);
    expect(again.verdict).toMatch(
      /^It did not fire: The last notification was at .* UTC; the next one follows after 1 h\.$/,
    );
    expect(of(again, 'cooldown')).toMatchObject([{ value: 120, limit: 3600, met: false }]);
    api.advance(HOUR_MS);
    await calls.round();
    const [group] = (await api.admin.errlog.list({ query: { q: log } })).data;
    await api.admin.errlog.update({ params: { id: group?.id ?? 0 }, body: { state: 'muted' } });
    await append(log);
    await calls.round();
    const muted = await explain(once);
    expect(muted).toMatchObject({ fired: false, alerts: [{ messages: 0 }] });
    expect(muted.verdict).toBe('It did not fire: Its group of errors is muted.');
  });
});

describe('the explanation of a rule', () => {
  it('names the first reason: it is disabled, came later, was changed, or its author lost a right', async () => {
    const log = word();
    const early = nowS() - 60;
    const id = await calls.watch({ when: { kind: 'errlog.new' }, filter: log });
    expect((await explain(id, early)).verdict).toMatch(/^It did not fire: The rule was created later, at /);
    await api.admin.alert.update({ params: { id }, body: { enabled: false } });
    await append(log);
    expect((await explain(id)).verdict).toBe('It did not fire: The rule is disabled.');
    api.advance(HOUR_MS);
    const before = nowS() - 1800;
    await api.admin.alert.update({ params: { id }, body: { enabled: true } });
    const changed = await explain(id, before);
    expect(of(changed, 'enabled')).toMatchObject([{ met: null }]);
    expect(changed.why_incomplete).toContain('The rule was changed at ');
    const { client, id: user } = await api.person('operator');
    const own = await client.alert.create({ body: { name: word(), when: { kind: 'errlog.new' }, filter: word() } });
    await api.admin.user.update({ params: { id: user }, body: { disabled: true } });
    await calls.round();
    const stopped = await explain(own.id);
    expect(of(stopped, 'author')).toMatchObject([{ met: false, text: expect.stringContaining('is disabled') }]);
    expect(stopped.verdict).toContain('is disabled');
  });

  it('needs the permission of what the rule is about, a rule that exists, and a moment that has been', async () => {
    const { id } = await api.admin.alert.create({ body: { name: word(), when: { kind: 'signin.failed' } } });
    const explainWith = async (...scopes: Permission[]) => {
      const { alert } = createClient({ url: api.url, apiToken: await storeToken(1, { scopes }) });
      return alert.explain({ params: { id }, body: {} });
    };
    await expect(explainWith('alert:read', 'audit:read')).resolves.toMatchObject({ fired: false });
    await expect(explainWith('alert:read')).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    await expect(
      explainWith(...permissionsOf('master').filter((scope) => scope !== 'alert:read')),
    ).rejects.toMatchObject({ status: 403 });
    await expect(explain(1_000_000)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(explain(id, nowS() + 60)).rejects.toMatchObject({
      status: 400,
      code: 'validation_failed',
      fields: [{ path: 'body.at' }],
    });
  });
});

describe('the explanation of other kinds', () => {
  it('notifies of a new error just before, and none any more later', async () => {
    const log = word();
    const id = await calls.watch({ when: { kind: 'errlog.new' }, filter: log });
    await append(log);
    await calls.round();
    const found = await explain(id);
    expect(found).toMatchObject({ fired: true, alerts: [{ messages: 1 }] });
    expect(of(found, 'causes')).toMatchObject([{ value: 1, met: true, text: expect.stringContaining(log) }]);
    const at = nowS();
    api.advance(HOUR_MS);
    await calls.round();
    expect(await explain(id)).toMatchObject({ fired: false });
    expect(await explain(id, at + 1)).toMatchObject({ fired: true });
  });

  it('compares a spike with what is usual', async () => {
    const log = word();
    const id = await calls.watch({ when: { kind: 'errlog.spike', count: 2, within: 300, per: 'group' }, filter: log });
    await append(log, 10);
    const fresh = await explain(id);
    expect(of(fresh, 'usual')).toMatchObject([{ value: 10, limit: null, met: false }]);
    expect(fresh.verdict).toContain('no number is usual yet');
    for (let n = 0; n < 24; n += 1) {
      api.advance(300_000);
      await append(log, 5);
    }
    const usual = await explain(id);
    expect(of(usual, 'count')).toMatchObject([{ limit: 2, met: true }]);
    expect(of(usual, 'usual')).toMatchObject([{ limit: expect.any(Number), met: false }]);
    expect(usual.verdict).toMatch(/a spike is more than \d+: /);
  });

  it('has the seconds since the last report of an agent, and who is in maintenance', async () => {
    const [agent, resting] = [await api.agent(), await api.agent()];
    const id = await calls.watch({ when: { kind: 'agent.offline' } });
    api.advance(20_000);
    await beat(resting);
    await calls.round();
    const online = await explain(id);
    expect(of(online, 'matching')).toMatchObject([{ value: 2 }]);
    expect(of(online, 'report')).toMatchObject([
      { value: 20, limit: 90, met: false, text: expect.stringContaining(`host-${agent.nodeId}`) },
      { value: 0 },
    ]);
    await api.admin.agent.update({ params: { id: agent.id }, body: { maintenance: true } });
    api.advance(SILENT_MS - 20_000);
    await beat(resting);
    await calls.round();
    await calls.round();
    expect((await explain(id)).verdict).toBe(
      'It did not fire: The agent is in maintenance, or returns from an outage.',
    );
  });

  it('says under which alert an agent is grouped', async () => {
    const members = await newFleet(api, 12);
    const outages = await calls.watch({ when: { kind: 'agent.outage' } });
    const id = await calls.watch({ when: { kind: 'agent.offline' } });
    api.advance(SILENT_MS);
    await calls.round();
    await calls.round();
    await calls.round();
    const [outage] = await calls.alertsOf(outages);
    const found = await explain(id);
    expect(found.fired).toBe(false);
    expect(found.alerts.length).toBe(Math.min(20, members.length));
    expect(found.verdict).toBe(
      `It did not fire: It is grouped under alert ${outage?.id}, whose message stands for it.`,
    );
    expect(of(await explain(outages), 'silent_agents')).toMatchObject([{ limit: 10 }]);
  });

  it('counts the days of certificates and tokens, and failed sign-ins', async () => {
    const agent = await api.agent();
    const certificates = await calls.watch({ when: { kind: 'certificate.expiring' } });
    expect((await explain(certificates)).verdict).toContain('QUARTERDECK_AGENT_CERTIFICATES');
    const expire = nowS() + 20 * 86_400;
    const certificate = { place: '/a', subject: 'CN=a', issuer: 'CN=ca', fingerprint: 'ab'.repeat(8), expire };
    await beat(agent, { certificates: [certificate] });
    const days = await explain(certificates);
    expect(of(days, 'days')).toMatchObject([{ limit: 14, met: false }]);
    expect(days.verdict).toMatch(/^It did not fire: Certificate CN=a expires in .*, 14 d are looked at: \/a on host-/);

    const tokens = await calls.watch({ when: { kind: 'token.expiring' } });
    const token = await api.admin.apiToken.create({ body: { name: 'ci', expire: api.now() + 3 * 86_400_000 } });
    expect(of(await explain(tokens), 'days')).toContainEqual(expect.objectContaining({ limit: 7, met: true }));
    await api.admin.apiToken.remove({ params: { id: token.id } });

    const signins = await calls.watch({ when: { kind: 'signin.failed', count: 50 } });
    const login = createClient({ url: api.url }).user.login({ body: { username: 'admin', password: 'wrong' } });
    await expect(login).rejects.toMatchObject({ status: 401 });
    const attempts = await explain(signins);
    expect(of(attempts, 'attempts')).toMatchObject([{ limit: 50, met: false }]);
    expect(of(attempts, 'attempts')[0]?.value).toBeGreaterThan(0);
  });

  it('has the minutes since the last line of a source, and what it usually does', async () => {
    const log = word();
    const id = await calls.watch({ when: { kind: 'silence', within: 900, per: 'service' }, filter: `service:${log}` });
    const send = () => api.admin.errlog.append({ body: { level: 'error', log, service: log } });
    for (let n = 0; n < 30; n += 1) {
      await send();
      api.advance(300_000);
    }
    const heard = await explain(id);
    expect(of(heard, 'silence')).toMatchObject([{ value: 5, limit: 15, met: false }]);
    expect(of(heard, 'habit')).toMatchObject([{ met: true }]);
    api.advance(900_000);
    await calls.round();
    const silent = await explain(id);
    expect(silent).toMatchObject({ fired: true });
    expect(of(silent, 'silence')).toMatchObject([{ value: 20, limit: 15, met: true }]);
  });
});
