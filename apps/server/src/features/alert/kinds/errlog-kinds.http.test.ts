// Kinds of rules about errors, through the server.
import { afterEach, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../../test/non-empty.ts';
import { atMost } from '../../../../../../test/thoroughness.ts';
import { errlogCauses, watch } from '../../../../test/alert-calls.ts';
import { listenEvents } from '../../../../test/listen-events.ts';
import { removeFleet, useSteadyApi } from '../../../../test/steady-api.ts';
import { word } from '../../../../test/word.ts';

const MINUTE_MS = 60_000;

const api = useSteadyApi({ PUBLIC_URL: 'https://logs.example.com' });
afterEach(() => removeFleet(api));

const { append, groupOf } = errlogCauses(() => api);

/** More groups than one round notifies of one by one. */
const MANY = atMost(300, 2_500);
const appendNew = (...logs: string[]) =>
  api.admin.errlog.append({ body: logs.map((log) => ({ level: 'error', log, service: 'shop' })) });

describe('errlog.new', () => {
  it('notifies of a new group once, and none from before the rule', async () => {
    await appendNew(word());
    await using stream = await listenEvents(api.admin);
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = word();
    await appendNew(log);
    const id = await groupOf(log);
    expect(await rule.round()).toEqual([`firing group:${id}`]);
    await appendNew(log);
    api.advance(10_000_000);
    expect(await rule.round()).toEqual([`firing group:${id}`, `resolved group:${id}`]);
    const [message] = await rule.messages();
    expect(message).toMatchObject({
      type: 'alert.firing',
      data: {
        rule_id: rule.id,
        kind: 'errlog.new',
        state: 'firing',
        title: `New error on admin (shop): ERROR: ${log}`,
        detail: { group: id, service: 'shop', log },
        messages: 1,
        resolved: null,
        groups: [id],
        what: { level: 4, service: 'shop', source: 'admin', text: log },
        counts: { count: 1, usual: 0 },
        hosts: { failing: 1, of: null, names: ['admin'] },
        cause: { sentence: null, why: 'The source has no agent, so its changes are not known.', settled: false },
        lines: [{ log, group: id }],
        links: { error: `https://logs.example.com/e/${id}` },
      },
    });
    expect(await rule.alerts()).toMatchObject([{ key: `group:${id}`, state: 'resolved', messages: 1 }]);
    await stream.first(({ type, data }) => type === 'alert.firing' && data.rule_id === rule.id);
    expect(await api.admin.alert.get({ params: { id: rule.id } })).toMatchObject({ firing: 0 });
  });

  it('removes escape sequences and cuts long texts', async () => {
    const log = `\u001b[31m${word()}\u202e ${'x'.repeat(10_000)}\nsecond line`;
    const rule = await watch(api, { kind: 'errlog.new' });
    await appendNew(log);
    await rule.round();
    const { title, detail } = (await rule.messages())[0]?.data ?? {};
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
    expect(`${title}${detail?.['log']}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]|\[31m/);
    expect(title?.length).toBeLessThan(300);
    expect(String(detail?.['log']).length).toBeLessThan(3_000);
  });

  it('notifies of only groups that match the filter, also by fields beside the text', async () => {
    const [wanted, other] = [word(), word()];
    const byField = await watch(api, { kind: 'errlog.new' }, { filter: `color:${wanted}` });
    const byLevel = await watch(api, { kind: 'errlog.new' }, { filter: `level:>=crit ${wanted}` });
    const line = (level: string, log: string, color: string) => ({ level, log, fields: { color } });
    await api.admin.errlog.append({
      body: [line('error', word(), wanted), line('crit', wanted, other), line('crit', word(), other)],
    });
    expect(await byField.round()).toHaveLength(1);
    expect((await byField.messages())[0]?.data.title).toContain('ERROR');
    expect(await byLevel.round()).toEqual([`firing group:${await groupOf(wanted)}`]);
  });

  it('notifies of many groups of a batch in one message with their number', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const logs = Array.from({ length: MANY }, word);
    await appendNew(...logs);
    await rule.round();
    const messages = await rule.messages();
    expect(messages).toHaveLength(1);
    expect(messages[0]?.data).toMatchObject({ title: `${MANY} new errors at once`, detail: { count: MANY } });
    expect(messages[0]?.data.detail['examples']).toHaveLength(10);
    await appendNew(word());
    expect(await rule.round()).toHaveLength(1);
    expect(await rule.alerts()).toMatchObject([
      { key: messages[0]?.data.key, title: `${MANY + 1} new errors at once`, detail: { count: MANY + 1 } },
    ]);
    api.advance(10_001);
    await appendNew(word());
    expect(await rule.round()).toHaveLength(2);
  });

  it('keeps a rule that was disabled silent about the time in between', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const enable = (enabled: boolean) => api.admin.alert.update({ params: { id: rule.id }, body: { enabled } });
    await enable(false);
    await appendNew(word());
    expect(await rule.round()).toEqual([]);
    await enable(true);
    expect(await rule.round()).toEqual([]);
    await appendNew(word());
    expect(await rule.round()).toHaveLength(1);
  });
});

describe('errlog.regressed', () => {
  it('notifies of a resolved group that happened again, each time after the cooldown', async () => {
    const rule = await watch(api, { kind: 'errlog.regressed' }, { cooldown: 600 });
    const log = word();
    await appendNew(log);
    const id = await groupOf(log);
    const regress = async () => {
      await api.admin.errlog.update({ params: { id }, body: { state: 'resolved' } });
      api.advance(1_000);
      await appendNew(log);
    };
    expect(await rule.round()).toEqual([]);
    await regress();
    expect(await rule.round()).toEqual([`firing group:${id}`]);
    expect(await rule.round()).toHaveLength(1);
    api.advance(60_000);
    await regress();
    expect(await rule.round()).toHaveLength(1);
    api.advance(600_000);
    await regress();
    expect(await rule.round()).toHaveLength(2);
  });
});

describe('errlog.spike', () => {
  it('notifies of what is far more than usual, not what is new or steady', async () => {
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
    expect(preview).toMatchObject({ fired: 1, complete: true, examples: [{ key: `service:${steady}` }] });
  });
});

describe('silence', () => {
  it('notifies of a source and a service that usually send, and that they send again', async () => {
    const [host, seldom] = [word(), word()];
    const send = (name: string) => append(`${name} lives`, 1, { host: name, service: name });
    // A filter leaves only what this test sends; by source alone the ledger decides.
    const drafts = (['source', 'service'] as const).map((per) => ({
      when: { kind: 'silence' as const, per, within: 900 },
      filter: per === 'source' ? '' : `service:${host},${seldom}`,
    }));
    const rules = await Promise.all(drafts.map(({ when, filter }) => watch(api, when, { filter })));
    const rounds = async () => {
      const notified: string[][] = [];
      for (const rule of rules) notified.push((await rule.round()).map((one) => one.split(' ')[0] ?? ''));
      return notified;
    };
    await send(seldom);
    for (let minutes = 0; minutes < 90; minutes += 5) {
      await send(host);
      api.advance(5 * MINUTE_MS);
    }
    expect(await rounds()).toEqual([[], []]);
    api.advance(12 * MINUTE_MS);
    expect(await rounds()).toEqual([['firing'], ['firing']]);
    for (const [i, body] of drafts.entries()) {
      expect((await rules[i]?.messages())?.[0]?.data.title).toBe(`No lines of ${host} for 15 min`);
      expect(await api.admin.alert.preview({ body })).toMatchObject({ fired: 1, complete: true });
    }
    await send(host);
    expect(await rounds()).toEqual(nonEmpty(rules.map(() => ['firing', 'resolved'])));
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
    const grouped = (await rule.alerts()).find(({ messages }) => messages === 0);
    expect(grouped).toMatchObject({ key: `group:${await groupOf(inside)}`, parent_id: parent?.id });
    expect(parent).toMatchObject({ under: 1, messages: 1 });
    // Without a rule that notifies of the outage, they are notified themselves.
    await api.admin.alert.remove({ params: { id: outageRule.id } });
    const later = word();
    await agent.client.errlog.append({ body: { level: 'error', log: later } });
    expect(await rule.round()).toHaveLength(2);
  });
});
