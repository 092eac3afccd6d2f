// Groups that their lines decide on: by any stored text, by a filter of the language, and by a span of time.
import type { UserActor } from '@quarterdeck/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createManager } from '../../../src/features/errlog/errlog.manage.ts';
import { ERRLOG_PATH, errlogCalls } from '../../errlog-calls.ts';
import { useApi } from '../../start-api.ts';
import { type GroupLine, storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const DAY_S = 86_400;

const api = useApi({ OCCURRENCE_DAYS: '2' });
beforeAll(async () => {
  // Packing at any time would join old lines with new ones, and keep them.
  await api.server.jobs.stop();
});

const { newApp, list, nowS } = errlogCalls(() => api);
const append = (lines: readonly GroupLine[]) => storeGroups(api.server.deps.db, lines, api.now());

/** The texts of a list, in its order. */
const logsOf = async (query: NonNullable<Parameters<typeof list>[0]>['query']) =>
  (await list({ query: { ...query } })).data.map(({ log }) => log);

/** A group with an older line of one client and newer ones of another. */
async function storeTwoClients() {
  const app_id = newApp();
  const name = word();
  const text = (client: string) => `${name} failed, client: ${client}, server: s1, request: "GET / HTTP/1.1"`;
  await append([{ level: 4, log: text('10.9.8.7'), app_id, service: 'nginx', req_id: `r-${name}` }]);
  await append([{ level: 4, log: text('10.0.0.1'), app_id, service: 'nginx' }]);
  return { app_id, name, newest: text('10.0.0.1') };
}

/** The only entry of an export. */
async function exported(query: Readonly<Record<string, string | number>>) {
  const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const url = `${api.url}${ERRLOG_PATH}/export?format=ndjson&${new URLSearchParams(texts)}`;
  const response = await fetch(url, { headers: { 'edge-token': api.adminToken } });
  return JSON.parse(await response.text());
}

describe('a text or a filter', () => {
  it('finds a group by an older line, in the list and everything beside it', async () => {
    const { app_id, name, newest } = await storeTwoClients();
    for (const query of [
      { q: '10.9.8.7', app_id },
      { filter: `client:10.9.8.7 ${name}`, app_id },
      { filter: 'client:10.9.8.* state:new service:NGINX', app_id },
      { filter: `req:r-${name}`, app_id },
      { req_id: `r-${name}` },
    ]) {
      expect(await logsOf(query), JSON.stringify(query)).toEqual([newest]);
      expect((await list({ query })).meta).toEqual({ count: 1, complete: true });
      expect(await logsOf({ ...query, rollup: true })).toEqual([newest]);
      expect((await api.admin.errlog.facets({ query })).services).toEqual([{ service: 'nginx', count: 1 }]);
      const { buckets } = await api.admin.errlog.histogram({ query: { ...query, buckets: 1 } });
      expect(buckets[0]?.count).toBe(2);
      const { req_id, ...rest } = query as { req_id?: string };
      const filter = { ...rest, ...(req_id === undefined ? {} : { req_id }) };
      const body = { filter, state: 'ongoing' as const, dry_run: true };
      expect(await api.admin.errlog.bulk({ body })).toMatchObject({ matched: 1 });
      expect(await exported(query)).toMatchObject({ log: newest });
    }
    // One line must meet all of them.
    expect(await logsOf({ q: '10.9.8.7', filter: 'client:10.0.0.1', app_id })).toEqual([]);
    expect(await logsOf({ q: '10.0.0.1', req_id: `r-${name}` })).toEqual([]);
  });

  it('is refused with the place of a mistake', async () => {
    const refused = list({ query: { filter: 'level:loud' } });
    await expect(refused).rejects.toMatchObject({ status: 400, fields: [{ path: 'query.filter' }] });
    const bulk = api.admin.errlog.bulk({ body: { filter: { filter: '(' }, state: 'ongoing' } });
    await expect(bulk).rejects.toMatchObject({ status: 400, fields: [{ path: 'body.filter.filter' }] });
  });

  it('changes nothing where the search did not see all lines', async () => {
    const { app_id } = await storeTwoClients();
    const { deps } = api.server;
    const { lineReads } = deps;
    const stopped: typeof lineReads = {
      ...lineReads,
      groupIds: async (...query) => ({ ...(await lineReads.groupIds(...query)), complete: false }),
    };
    const manager = createManager({ ...deps, lineReads: stopped });
    const actor = {
      kind: 'user',
      userId: 1,
      username: 'admin',
      errlogFilter: '',
      credential: { kind: 'session', id: 1 },
    } as UserActor;
    const request = { id: 'r', address: '127.0.0.1', client: '' };
    for (const dry_run of [true, false]) {
      const body = { filter: { app_id, q: '10.9.8.7' }, state: 'resolved' as const, dry_run };
      await expect(manager.bulk(body, { actor, request })).rejects.toMatchObject({ code: 'conflict' });
    }
    const byGroup = { filter: { app_id, filter: 'state:new level:error' }, state: 'resolved' as const, dry_run: true };
    expect(await manager.bulk(byGroup, { actor, request })).toMatchObject({ matched: 1 });
    expect((await list({ query: { app_id, detail: 1 } })).data).toMatchObject([{ state: 'new' }]);
  });
});

describe('groups whose lines are removed', () => {
  /** Creates lines of an app. */
  const linesOf = (app_id: number) => (name: string, time: number, count: number) => ({
    level: 3,
    log: `${name} is gone, client: 10.1.1.1`,
    app_id,
    log_time: time,
    count,
  });

  it('are found by their newest text, and in a span by the minutes that are kept', async () => {
    const app_id = newApp();
    const line = linesOf(app_id);
    const [old, again] = [word(), word()];
    const at = nowS() - 5 * DAY_S;
    const before = nowS();
    await append([line(old, at, 1), line(again, at + 10, 7)]);
    await append([line(again, before, 1)]);
    await api.server.jobs.runAll();
    const page = await list({ query: { app_id, start_time: at - DAY_S, end_time: at + DAY_S, detail: 1 } });
    expect(page.meta).toEqual({ count: 2, complete: true });
    const found = page.data.map(({ log, count_in_range }) => [log.split(' ')[0], count_in_range]);
    expect(found.sort()).toEqual(
      [
        [old, 1],
        [again, 7],
      ].sort(),
    );
    const later = page.data.find(({ count }) => count === 8);
    expect(later).not.toHaveProperty('log_in_range');
    expect(Math.abs((later?.log_time_in_range ?? 0) - at)).toBeLessThan(3_600);

    for (const filter of [`${old} client:10.1.1.1`, `/^${old}/`, `"${old} is"`, `"${old} is" OR nobody-has-this`]) {
      expect(await logsOf({ app_id, filter }), filter).toEqual([line(old, at, 1).log]);
      const body = { filter: { app_id, filter }, state: 'resolved' as const, dry_run: true };
      expect(await api.admin.errlog.bulk({ body }), filter).toMatchObject({ matched: 1 });
    }
    expect(await logsOf({ app_id, q: `${old} is` })).toEqual([line(old, at, 1).log]);
    expect(await logsOf({ app_id, filter: `${old} client:10.1.1.2` })).toEqual([]);
  });

  it('are found in a span that ends in the second of their first line, and in none that ends before', async () => {
    // Counts of old minutes are kept by the hour. This one begins with that second.
    const at = Math.floor(nowS() / 3_600) * 3_600 - 6 * DAY_S;
    const app_id = newApp();
    const line = linesOf(app_id);
    const [first, later] = [word(), word()];
    await append([line(first, at, 1), line(later, at + 1, 1)]);
    await api.server.jobs.runAll();
    const until = (end_time: number) => logsOf({ app_id, start_time: at - 60, end_time });
    expect(await until(at - 1)).toEqual([]);
    expect(await until(at)).toEqual([line(first, at, 1).log]);
    expect((await until(at + 1)).toSorted()).toEqual([first, later].map((name) => line(name, at, 1).log).toSorted());
  });
});
