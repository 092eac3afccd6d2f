// Changes of groups by people, one by one and many at once: permissions, audit rows, events.
import type { ErrlogBulk, ErrlogLine } from '@quarterdeck/core';
import { afterAll, describe, expect, it } from 'vitest';
import { ERRLOG_PATH, errlogCalls } from '../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { type Answer, useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const api = useApi();
afterAll(async () => {
  await expectTrueCounters(api.server.deps.db);
});

const { newApp, nowS } = errlogCalls(() => api);

/** Groups of an application of their own; their ids, newest first. */
async function newGroups(n: number, app_id = newApp(), more: Partial<ErrlogLine> = {}) {
  const body = Array.from({ length: n }, () => ({ level: 4, log: word(), app_id, ...more }));
  await api.admin.errlog.append({ body });
  return { app_id, ids: await idsOf(app_id) };
}

const idsOf = async (app_id: number, state?: ErrlogBulk['state']) => {
  const query = { app_id, page_size: 10_000, ...(state === undefined ? {} : { state }) };
  return (await api.admin.errlog.list({ query })).data.map(({ id }) => id);
};

/** A request as it goes over the wire. */
const send = (method: string, path: string, body: unknown, token = api.adminToken): Promise<Answer> =>
  api.ask(method, ERRLOG_PATH + path, body, { 'edge-token': token });
const bulk = (body: Record<string, unknown>, token?: string) => send('POST', '/bulk', body, token);

/** Entries of the audit log about groups, newest first. */
const recorded = async (action: string) => (await api.admin.audit.list({ query: { action, page_size: 50 } })).data;

describe('PUT /admin-api/log_server/errlog/{id}', () => {
  it('answers with the entry as it is now, and records who did it', async () => {
    const { ids } = await newGroups(1);
    const [id = 0] = ids;
    const params = { id };
    const before = nowS();
    const entry = await api.admin.errlog.update({ params, body: { state: 'muted', until: '100x/6h', note: 'known' } });
    expect(entry).toMatchObject({ id, state: 'muted', until: '100x/6h', until_time: 0, note: 'known' });
    expect(entry.state_since).toBeGreaterThanOrEqual(before);
    expect(entry.state_since).toBeLessThanOrEqual(nowS());
    expect(await api.admin.errlog.get({ params })).toEqual(entry);
    const [newest] = await recorded('errlog.update');
    expect(newest).toMatchObject({
      target: { kind: 'errlog', id },
      detail: {
        before: { state: 'new', until: '', note: '' },
        after: { state: 'muted', until: '100x/6h', note: 'known' },
      },
    });
    expect(newest?.actor).toMatchObject({ kind: 'user', name: 'admin' });
  });

  it('changes the note alone, keeps it through states, and clears it', async () => {
    const { ids } = await newGroups(1);
    const params = { id: ids[0] ?? 0 };
    const { state_since } = await api.admin.errlog.get({ params });
    const note = 'see \u{1f600} "ticket" \\ 7';
    expect(await api.admin.errlog.update({ params, body: { note } })).toMatchObject({
      state: 'new',
      note,
      state_since,
    });
    await api.admin.errlog.update({ params, body: { state: 'resolved' } });
    expect(await api.admin.errlog.get({ params })).toMatchObject({ state: 'resolved', note });
    expect(await api.admin.errlog.update({ params, body: { note: '' } })).toMatchObject({
      state: 'resolved',
      note: '',
    });
  });

  it('tells subscribers, also of what lines did', async () => {
    await using stream = await listenEvents(api.admin);
    const { ids } = await newGroups(1);
    const params = { id: ids[0] ?? 0 };
    // Many groups of a test before may still be announced, with this one, as one event.
    await stream.first(({ type, data }) => type === 'resync' || (type === 'errlog.new' && data.id === params.id));
    const { log } = await api.admin.errlog.get({ params });
    await api.admin.errlog.update({ params, body: { state: 'resolved' } });
    const changed = await stream.first(({ type, data }) => type === 'errlog.changed' && data.id === params.id);
    expect(changed.data).toMatchObject({ state: 'resolved', log });
    const { app_id = 0 } = await api.admin.errlog.get({ params });
    api.advance(2_000);
    await api.admin.errlog.append({ body: { level: 4, log, app_id } });
    const regressed = await stream.first(({ type, data }) => type === 'errlog.regressed' && data.id === params.id);
    expect(regressed.data).toMatchObject({ state: 'regressed', count: 2 });
    await api.admin.errlog.update({ params, body: { state: 'muted', until: '1x' } });
    await api.admin.errlog.append({ body: { level: 4, log, app_id } });
    const ended = ({ type, data }: { type: string; data: Answer }) =>
      type === 'errlog.changed' && data.id === params.id && data.state === 'ongoing';
    expect((await stream.first(ended)).data).toMatchObject({ count: 3, until: '' });
    await api.admin.errlog.update({ params, body: { state: 'muted', until: '1m' } });
    api.advance(61_000);
    await api.server.jobs.runAll();
    await stream.first((event) => ended(event) && event.data.count === 3 && event.data.state_since >= nowS() - 30);
  });
});

it('refuses a change that contradicts itself, and names the field', async () => {
  const { app_id, ids } = await newGroups(1);
  const one = `/${ids[0]}`;
  const all = { filter: { app_id } };
  const state = 'resolved';
  for (const [method, path, body, field] of [
    ['PUT', one, {}, 'body'],
    ['PUT', one, { until: '1h' }, 'body'],
    ['PUT', one, { state, until: '1h' }, 'body.until'],
    ['PUT', one, { state: 'muted', until: '5x/8d' }, 'body.until'],
    ['POST', '/bulk', { state }, 'body'],
    ['POST', '/bulk', { ids, ...all, state }, 'body'],
    ['POST', '/bulk', { ...all, state, until: '1h' }, 'body.until'],
    ['POST', '/bulk', { filter: { levle: 4 }, state }, 'body.filter.levle'],
    ['POST', '/bulk', { filter: { app_id, state: 'new,gone' }, state }, 'body.filter.state'],
  ] as const) {
    const { status, body: answer } = await send(method, path, body);
    const code = field.endsWith('levle') ? 'unknown_field' : 'validation_failed';
    expect([status, answer.err?.code], JSON.stringify(body)).toEqual([400, code]);
    expect(answer.err.fields.map((issue: Answer) => issue.path)).toContain(field);
  }
  expect(await idsOf(app_id, 'new')).toEqual(ids);
});

describe('POST /admin-api/log_server/errlog/bulk', () => {
  it('changes all that a filter matches, in slices, and nothing else', async () => {
    const mine = await newGroups(503);
    const others = await newGroups(3);
    const filter = { app_id: mine.app_id, level_max: 4 };
    const audited = (await recorded('errlog.bulk')).length;
    const body = { filter, state: 'muted' as const, until: '7d' };
    expect(await api.admin.errlog.bulk({ body })).toEqual({ matched: 503, done: 503, failed: [] });
    expect(await idsOf(mine.app_id, 'muted')).toEqual(mine.ids);
    expect(await idsOf(others.app_id, 'muted')).toEqual([]);
    const slices = (await recorded('errlog.bulk')).slice(0, -audited || undefined);
    expect(slices).toHaveLength(2);
    const named = slices.flatMap(({ detail }) => (detail as Answer).ids);
    expect([...named].sort()).toEqual([...mine.ids].sort());
    expect(slices[0]?.detail).toMatchObject({ state: 'muted', until: '7d', filter });
  });

  it('leaves the searched text out of the audit log, from which nothing can be erased', async () => {
    const { app_id } = await newGroups(1);
    const filter = { app_id, q: `hunter2-${word()}` };
    await api.admin.errlog.append({ body: { level: 4, log: filter.q, app_id } });
    expect(await api.admin.errlog.bulk({ body: { filter, state: 'resolved' } })).toMatchObject({ done: 1 });
    const [entry] = await recorded('errlog.bulk');
    expect(entry?.detail).toMatchObject({ filter: { app_id, q_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    expect(JSON.stringify(entry)).not.toContain(filter.q);
  });

  it('understands every filter of the list', async () => {
    const needle = word();
    const req_id = word();
    const { app_id, ids } = await newGroups(4);
    await api.admin.errlog.append({
      body: { level: 6, log: `${needle} 100%`, app_id, req_id, node_type: 2, node_id: 9 },
    });
    const [entry] = (await api.admin.errlog.list({ query: { app_id, level: 6, detail: 1 } })).data;
    const { id = 0, src = 0, fingerprint = '', log_time = 0 } = entry ?? {};
    for (const filter of [
      { q: `${needle.toUpperCase()} 100%` },
      { req_id },
      { fingerprint },
      { src, level: 6, app_id },
      { node_type: 2, node_id: 9, app_id },
      { level: 6, level_max: 7, app_id, start_time: log_time, end_time: log_time },
      { app_id, level: 6, state: 'new,resolved' },
    ]) {
      const { body } = await bulk({ filter, state: 'resolved', dry_run: true });
      expect(body.data, JSON.stringify(filter)).toEqual({ matched: 1, done: 0, failed: [] });
    }
    expect((await bulk({ filter: { app_id, state: 'muted' }, state: 'new' })).body.data.matched).toBe(0);
    expect(await idsOf(app_id, 'new')).toEqual(expect.arrayContaining([...ids, id]));
  });

  it('says what it would do and does nothing in a dry run', async () => {
    const { app_id, ids } = await newGroups(5);
    const audited = (await recorded('errlog.bulk')).length;
    const byIds = await bulk({ ids: [...ids, 2_000_000_000], state: 'resolved', dry_run: true });
    expect(byIds.body.data).toMatchObject({ matched: 5, done: 0, failed: [{ id: 2_000_000_000 }] });
    const byFilter = await bulk({ filter: { app_id }, state: 'resolved', dry_run: true });
    const asked = await send('POST', '/bulk?dry_run=1', { filter: { app_id }, state: 'resolved' });
    expect(asked.body.data).toEqual(byFilter.body.data);
    expect((await send('POST', '/bulk?dry_run', { filter: { app_id }, state: 'resolved' })).status).toBe(400);
    expect(byFilter.body.data).toEqual({ matched: 5, done: 0, failed: [] });
    expect(await idsOf(app_id, 'new')).toEqual(ids);
    expect(await recorded('errlog.bulk')).toHaveLength(audited);
  });

  it('tells of few one by one, and of many that the list is to be read again', async () => {
    await using stream = await listenEvents(api.admin);
    const few = await newGroups(3);
    await api.admin.errlog.bulk({ body: { ids: few.ids, state: 'resolved' } });
    for (const id of few.ids) {
      await stream.first(({ type, data }) => type === 'errlog.changed' && data.id === id && data.state === 'resolved');
    }
    const many = await newGroups(101);
    await api.admin.errlog.bulk({ body: { ids: many.ids, state: 'resolved' } });
    await stream.first(({ type, data }) => type === 'resync' && data.reason === 'changed');
    expect(stream.events.some(({ type, data }) => type === 'errlog.changed' && many.ids.includes(data.id))).toBe(false);
  });

  it('changes a group once that is named several times, and tells once of one that is not there', async () => {
    const { ids } = await newGroups(2);
    const [first = 0, second = 0] = ids;
    const missing = 2_000_000_000;
    const named = [first, second, first, missing, missing, first];
    // The last of them would be in another slice.
    const change = { ids: [...named, ...Array<number>(600).fill(second)], state: 'resolved' as const };
    const failed = [{ id: missing, msg: expect.any(String) }];
    const dry = await api.admin.errlog.bulk({ body: { ...change, dry_run: true } });
    expect(dry).toEqual({ matched: 2, done: 0, failed });
    expect(await api.admin.errlog.bulk({ body: change })).toEqual({ matched: 2, done: 2, failed });
    const [entry] = await recorded('errlog.bulk');
    expect(entry?.detail).toMatchObject({ ids: expect.toSatisfy((some: number[]) => some.length === 2) });
  });
});
