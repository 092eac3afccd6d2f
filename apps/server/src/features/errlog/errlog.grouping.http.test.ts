// Corrections of grouping by people: merges, splits and rules, with the numbers of the groups before and after.
import type { ErrlogLine } from '@quarterdeck/core';
import { createPacker } from '@quarterdeck/store';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ERRLOG_PATH, errlogCalls } from '../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { type Answer, useApi } from '../../../test/start-api.ts';

const api = useApi();
afterEach(async () => {
  await expectTrueCounters(api.server.deps.db);
});
afterAll(async () => {
  for (const { text } of (await api.admin.errlog.rules()).data) await api.admin.errlog.removeRule({ body: { text } });
});

const { newApp, listOf } = errlogCalls(() => api);
const ask = (method: string, path: string, body: unknown): Promise<Answer> =>
  api.ask(method, ERRLOG_PATH + path, body, { 'edge-token': api.adminToken });

const LOGS = { alpha: 'resolver gave up on alpha', beta: 'lookup without answer: beta', other: 'disk is full' };

const send = (app_id: number, logs: readonly string[], more: Partial<ErrlogLine> = {}) =>
  api.admin.errlog.append({ body: logs.map((log) => ({ level: 4, log, app_id, ...more })) });

/** Groups of an application by a part of their text. */
const groupsOf = async (app: number) => new Map((await listOf(app)).map((entry) => [entry.log, entry]));
const idOf = async (app: number, log: string) => (await groupsOf(app)).get(log)?.id ?? 0;
const linesOf = async (group: number) =>
  (await api.admin.line.list({ query: { filter: `group:${group}`, limit: 100 } })).data;

describe('POST /errlog/merge', () => {
  it('joins groups, their counts and lines, for good, and keeps the links to them', async () => {
    const app = newApp();
    await send(app, [LOGS.alpha, LOGS.alpha, LOGS.beta, LOGS.other]);
    const [a, b] = [await idOf(app, LOGS.alpha), await idOf(app, LOGS.beta)];
    await api.admin.errlog.update({ params: { id: b }, body: { note: 'known' } });
    expect(await api.admin.errlog.merge({ body: { ids: [a, b], dry_run: true } })).toEqual({ matched: 2, group: a });
    expect((await listOf(app)).length).toBe(3);
    expect(await api.admin.errlog.merge({ body: { ids: [a, b] } })).toEqual({ matched: 2, group: a });
    await send(app, [LOGS.beta, LOGS.alpha]);
    const groups = await listOf(app);
    expect(groups.map(({ id, count }) => [id, count]).sort()).toEqual(
      [
        [a, 5],
        [await idOf(app, LOGS.other), 1],
      ].sort(),
    );
    expect(await api.admin.errlog.get({ params: { id: b } })).toMatchObject({ id: a, count: 5, note: 'known' });
    const lines = await linesOf(b);
    expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(5);
    expect(new Set(lines.map(({ group }) => group))).toEqual(new Set([a]));
    expect((await api.admin.errlog.occurrences({ params: { id: b } })).meta.count).toBe(lines.length);
    const { data } = await api.admin.errlog.history({ params: { id: a } });
    expect(data).toEqual([expect.objectContaining({ action: 'merge', actor: 'admin', other: b, log: LOGS.beta })]);
    const [entry] = (await api.admin.audit.list({ query: { action: 'errlog.merge' } })).data;
    expect(entry).toMatchObject({ target: { kind: 'errlog', id: a }, detail: { ids: [a, b] } });
  });

  it('is undone by a split of the lines that came in, with the state that the group had', async () => {
    const app = newApp();
    await send(app, [LOGS.alpha, LOGS.beta, LOGS.beta]);
    const [a, b] = [await idOf(app, LOGS.alpha), await idOf(app, LOGS.beta)];
    await api.admin.errlog.update({ params: { id: b }, body: { state: 'muted', until: '7d', note: 'b alone' } });
    await api.admin.errlog.merge({ body: { ids: [a, b] } });
    await send(app, [LOGS.beta, LOGS.alpha]);
    const line = (await linesOf(a)).find(({ log }) => log === LOGS.beta)?.id ?? '';
    const split = { params: { id: a }, body: { lines: [line] } };
    expect(await api.admin.errlog.split({ ...split, body: { lines: [line], dry_run: true } })).toEqual({
      matched: 3,
      group: a,
    });
    expect(await api.admin.errlog.split(split)).toMatchObject({ group: a, new_group: b });
    await send(app, [LOGS.beta]);
    const after = await groupsOf(app);
    expect(after.get(LOGS.alpha)).toMatchObject({ id: a, count: 2 });
    expect(after.get(LOGS.beta)).toMatchObject({ id: b, count: 4, state: 'muted', until: '7d', note: 'b alone' });
    expect(new Set((await linesOf(b)).map(({ log }) => log))).toEqual(new Set([LOGS.beta]));
    expect(new Set((await linesOf(a)).map(({ log }) => log))).toEqual(new Set([LOGS.alpha]));
    const { data } = await api.admin.errlog.history({ params: { id: a } });
    expect(data.map(({ action, other }) => [action, other])).toEqual([
      ['split', b],
      ['merge', b],
    ]);
  });

  it('refuses groups that cannot be one', async () => {
    const app = newApp();
    await send(app, [LOGS.alpha]);
    await send(app, [LOGS.beta], { level: 5 });
    const [a, b] = [await idOf(app, LOGS.alpha), await idOf(app, LOGS.beta)];
    expect((await ask('POST', '/merge', { ids: [a, b] })).status).toBe(400);
    expect((await ask('POST', '/merge', { ids: [a, a] })).status).toBe(400);
    expect((await ask('POST', '/merge', { ids: [a, 999_999_999] })).status).toBe(404);
  });
});

describe('POST /errlog/{id}/split', () => {
  it('moves the lines that share a word to a new group, the past and the later ones', async () => {
    const app = newApp();
    const line = (user: string, n: number) => `login of user=${user} failed after ${n} ms`;
    await send(app, [line('ann', 1), line('bob', 2), line('ann', 3), line('eve', 4)]);
    const [group] = await listOf(app);
    expect(group?.count).toBe(4);
    await createPacker(api.server.deps.db).packAll();
    const id = group?.id ?? 0;
    const ann = (await linesOf(id)).find(({ log }) => log.includes('ann'))?.id ?? '';
    const result = await api.admin.errlog.split({ params: { id }, body: { lines: [ann] } });
    expect(result).toMatchObject({ matched: 2, group: id });
    await send(app, [line('ann', 5), line('bob', 6)]);
    expect((await linesOf(result.new_group ?? 0)).map(({ log }) => log)).toEqual([5, 3, 1].map((n) => line('ann', n)));
    const groups = new Map((await listOf(app)).map((entry) => [entry.id, entry]));
    expect(groups.get(id)?.count).toBe(3);
    expect(groups.get(result.new_group ?? 0)).toMatchObject({ count: 3, state: group?.state });
    await api.admin.errlog.merge({ body: { ids: [id, result.new_group ?? 0] } });
    expect((await listOf(app)).map(({ count }) => count)).toEqual([6]);
  });

  it('refuses lines of other groups, and lines that nothing tells apart', async () => {
    const app = newApp();
    await send(app, [LOGS.alpha, LOGS.beta]);
    const [a, b] = [await idOf(app, LOGS.alpha), await idOf(app, LOGS.beta)];
    const [line] = await linesOf(b);
    expect((await ask('POST', `/${a}/split`, { lines: [line?.id] })).status).toBe(400);
    expect((await ask('POST', `/${b}/split`, { lines: [line?.id] })).status).toBe(409);
    expect((await ask('POST', `/${b}/split`, { lines: ['999999999'] })).status).toBe(400);
  });
});

describe('/errlog/rule', () => {
  it('tries a rule on the last day, and makes a group of each captured text', async () => {
    const app = newApp();
    const line = (by: string, n: number) => `payment by ${by} of order-${n} failed`;
    await send(app, [line('card', 1), line('bank', 2)], { service: 'pay' });
    const text = String.raw`service:pay /payment by (\w+) of/`;
    const trial = await api.admin.errlog.addRule({ body: { text, action: 'group', dry_run: true } });
    expect(trial).toMatchObject({ matched: 2, complete: true });
    expect(trial.groups.map(({ id }) => id).sort()).toEqual((await listOf(app)).map(({ id }) => id).sort());
    await api.admin.errlog.addRule({ body: { text, action: 'group' } });
    await send(app, [line('card', 3), line('bank', 4), 'payment by card of order-5: gave up'], { service: 'pay' });
    const counts = (await listOf(app))
      .filter(({ fingerprint = '' }) => fingerprint.startsWith('c'))
      .map(({ count }) => count);
    expect(counts.sort()).toEqual([1, 2]);
    expect((await ask('POST', '/rule', { text, action: 'group' })).status).toBe(409);
    expect((await ask('POST', '/rule', { text: 'since:1h /x/', action: 'group' })).status).toBe(400);
    expect((await ask('POST', '/rule', { text: '/(/', action: 'group' })).status).toBe(400);
    expect(await api.admin.errlog.removeRule({ body: { text } })).toMatchObject({ text, created_by: 'admin' });
    expect((await ask('DELETE', '/rule', { text })).status).toBe(404);
  });

  it('mutes the group of lines that a rule ignores, and keeps its lines', async () => {
    const app = newApp();
    const text = `app:${app} "health check"`;
    await api.admin.errlog.addRule({ body: { text, action: 'ignore' } });
    await send(app, ['health check of node a failed', 'GET / 500']);
    const ignored = (await listOf(app)).find(({ log }) => log.startsWith('health'));
    expect(ignored).toMatchObject({ state: 'muted', until: 'forever', count: 1 });
    expect((await linesOf(ignored?.id ?? 0)).length).toBe(1);
    await api.admin.errlog.removeRule({ body: { text } });
  });
});
