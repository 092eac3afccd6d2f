import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watch } from '../../../../test/alert-calls.ts';
import { listenEvents } from '../../../../test/listen-events.ts';
import { startApi, type TestApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ PUBLIC_URL: 'https://logs.example.com' });
});
afterAll(() => api[Symbol.asyncDispose]());

const append = (...logs: string[]) =>
  api.admin.errlog.append({ body: logs.map((log) => ({ level: 'error', log, service: 'shop' })) });
const groupOf = async (log: string) => (await api.admin.errlog.list({ query: { q: log } })).data[0]?.id ?? 0;

describe('errlog.new', () => {
  it('tells a new group once, and none from before the rule', async () => {
    await append(word());
    await using stream = await listenEvents(api.admin);
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = word();
    await append(log);
    const id = await groupOf(log);
    expect(await rule.round()).toEqual([`firing group:${id}`]);
    await append(log);
    api.advance(10_000_000);
    expect(await rule.round()).toEqual([`firing group:${id}`]);
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
        url: `https://logs.example.com/admin-api/alert/instance?rule_id=${rule.id}`,
      },
    });
    expect(await rule.alerts()).toMatchObject([{ cause: `group:${id}`, state: 'resolved', messages: 1 }]);
    expect((await stream.first(({ type }) => type === 'alert.firing')).data).toMatchObject({ rule_id: rule.id });
    expect(await api.admin.alert.get({ params: { id: rule.id } })).toMatchObject({ firing: 0 });
  });

  it('removes escape sequences and cuts long texts', async () => {
    const log = `\u001b[31m${word()}\u202e ${'x'.repeat(10_000)}\nsecond line`;
    const rule = await watch(api, { kind: 'errlog.new' });
    await append(log);
    await rule.round();
    const { title, detail } = (await rule.messages())[0]?.data ?? {};
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
    expect(`${title}${detail?.['log']}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]|\[31m/);
    expect(title?.length).toBeLessThan(300);
    expect(String(detail?.['log']).length).toBeLessThan(3_000);
  });

  it('tells only groups that match the filter, also by fields beside the text', async () => {
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

  it('tells many groups of a batch in one message with their number', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const logs = Array.from({ length: 2_500 }, word);
    await append(...logs);
    await rule.round();
    const messages = await rule.messages();
    expect(messages).toHaveLength(1);
    expect(messages[0]?.data).toMatchObject({ title: '2500 new errors at once', detail: { count: 2_500 } });
    expect(messages[0]?.data.detail['examples']).toHaveLength(10);
    await append(word());
    expect(await rule.round()).toHaveLength(2);
  });

  it('keeps a rule that was disabled silent about the time in between', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const enable = (enabled: boolean) => api.admin.alert.update({ params: { id: rule.id }, body: { enabled } });
    await enable(false);
    await append(word());
    expect(await rule.round()).toEqual([]);
    await enable(true);
    expect(await rule.round()).toEqual([]);
    await append(word());
    expect(await rule.round()).toHaveLength(1);
  });
});

describe('errlog.regressed', () => {
  it('tells a resolved group that happened again, each time after the cooldown', async () => {
    const rule = await watch(api, { kind: 'errlog.regressed' }, { cooldown: 600 });
    const log = word();
    await append(log);
    const id = await groupOf(log);
    const regress = async () => {
      await api.admin.errlog.update({ params: { id }, body: { state: 'resolved' } });
      api.advance(1_000);
      await append(log);
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

describe('POST /admin-api/alert/preview', () => {
  it('counts the new groups of the last 24 hours', async () => {
    const wanted = word();
    await append(`${wanted} one`, `${wanted} two`);
    const preview = await api.admin.alert.preview({ body: { when: { kind: 'errlog.new' }, filter: wanted } });
    expect(preview).toMatchObject({ fired: 2, causes: 2, complete: true, why_incomplete: null });
    expect(preview.examples.map(({ title }) => title)).toEqual(
      expect.arrayContaining([`New error on admin (shop): ERROR: ${wanted} one`]),
    );
  });
});
