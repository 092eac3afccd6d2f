import type { ErrlogEntry } from '@quarterdeck/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRLOG_PATH, errlogCalls } from '../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { type Answer, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const FIELDS = ['id', 'level', 'count', 'src', 'log_time', 'log'];
const DETAIL_FIELDS = [
  ...FIELDS,
  ...['first_seen', 'state', 'state_since', 'until', 'until_time', 'note', 'app_id', 'node_type', 'node_id', 'source'],
  'fingerprint',
  'service',
  'host',
];

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { list, newApp, listOf, append } = errlogCalls(() => api);

describe('a group', () => {
  it('is what differs in numbers only; count is how often it happened, ever', async () => {
    const app_id = newApp();
    const name = word();
    const text = (n: number) => `${name} worker ${n} exceeded ${n * 7} ms at 10.0.0.${n % 250}`;
    await append([1, 2, 3].map((n) => ({ level: 4, log: text(n), app_id, log_time: 1_000 + n })));
    await append([{ level: 4, log: text(4), app_id, log_time: 2_000, count: 10 }]);
    const entries = await listOf(app_id);
    expect(entries).toMatchObject([{ count: 13, log: text(4), log_time: 2_000, first_seen: 1_001, state: 'new' }]);
    expect(Object.keys(entries[0] ?? {}).sort()).toEqual([...DETAIL_FIELDS].sort());
  });

  it('is another one for another source, application or level', async () => {
    const app_id = newApp();
    const other = newApp();
    const log = word();
    const agents = [await api.agent(), await api.agent()];
    const base = { level: 4, log, app_id };
    await append([
      base,
      { ...base, level: 5 },
      { ...base, app_id: other },
      { ...base, node_type: 1 },
      { ...base, node_id: 0 },
      { ...base, node_id: 1 },
      { ...base, node_id: 1, node_type: 2 },
    ]);
    for (const { client } of agents) await append([base], client);
    const entries = [...(await listOf(app_id)), ...(await listOf(other))];
    expect(entries).toHaveLength(9);
    for (const { count } of entries) expect(count).toBe(1);
    expect(new Set(entries.map(({ src }) => src)).size).toBe(7);
    const sources = entries.map(({ source, node_type, node_id }) => `${source},${node_type},${node_id}`).sort();
    expect([...new Set(sources)]).toEqual(
      [
        `host-${agents[0]?.nodeId},0,null`,
        `host-${agents[1]?.nodeId},0,null`,
        'admin,0,0',
        'admin,0,1',
        'admin,0,null',
        'admin,1,null',
        'admin,2,1',
      ].sort(),
    );
  });

  it('shows the text that is latest by time; of one second, the one that came last', async () => {
    const app_id = newApp();
    const name = word();
    const line = (n: number, log_time: number) => ({ level: 4, log: `${name} ${n}`, app_id, log_time });
    const shown = async () => {
      const [{ log, log_time, first_seen, count } = {} as ErrlogEntry] = await listOf(app_id);
      return [log, log_time, first_seen, count];
    };
    await append([line(1, 500), line(2, 700), line(3, 600)]);
    expect(await shown()).toEqual([`${name} 2`, 700, 500, 3]);
    await append([line(4, 700)]);
    expect(await shown()).toEqual([`${name} 4`, 700, 500, 4]);
    // Late lines count, and the newest text stays.
    await append([line(5, 100), line(6, 699)]);
    expect(await shown()).toEqual([`${name} 4`, 700, 100, 6]);
    // Late and new ones at once.
    await append([line(7, 50), line(8, 800), line(9, 800), line(10, 60)]);
    expect(await shown()).toEqual([`${name} 9`, 800, 50, 10]);
    await append([line(11, 800), line(12, 40)]);
    expect(await shown()).toEqual([`${name} 11`, 800, 40, 12]);
    await append([line(13, 0)]);
    expect(await shown()).toEqual([`${name} 11`, 800, 0, 13]);
  });

  it('is found by any request id it happened with', async () => {
    const app_id = newApp();
    const [one, two] = [word(), word()];
    const hex = '5f1e9ab0c3d24e7788aa00ff';
    await append([
      { level: 4, log: one, app_id, req_id: hex },
      { level: 4, log: one, app_id, req_id: 12345 },
      { level: 4, log: two, app_id, req_id: hex },
      { level: 4, log: two, app_id },
    ]);
    const found = async (req_id: string | number) => {
      const { data, meta } = await list({ query: { req_id, app_id } });
      expect(meta.count).toBe(data.length);
      return data.map(({ log }) => log).sort();
    };
    expect(await found(hex)).toEqual([one, two].sort());
    expect(await found(12345)).toEqual([one]);
    expect(await found('12345')).toEqual([one]);
    expect(await found(hex.toUpperCase())).toEqual([]);
    expect(await found(hex.slice(0, -1))).toEqual([]);
    // Empty is absent: no filter, not "those without a request id".
    expect(await found('')).toEqual([one, two].sort());
  });

  it('loses nothing when twenty clients send at once', async () => {
    const app_id = newApp();
    const names = Array.from({ length: 12 }, word);
    const agents = await Promise.all(Array.from({ length: 3 }, () => api.agent()));
    const clients = [api.admin, ...agents.map(({ client }) => client)];
    const sends = Array.from({ length: 20 }, (_, i) => {
      const lines = names.flatMap((name, n) =>
        Array.from({ length: 5 }, (_, k) => ({
          level: (n + i) % 3,
          log: `${name} ${i * 100 + k}`,
          app_id,
          log_time: 1_000_000 + ((i * 37 + k * 101 + n) % 500),
          count: 1 + (k % 3),
          // New sources, too, and everybody meets them at the same time.
          node_id: app_id * 10 + (n % 4),
        })),
      );
      // Each in another order.
      const turned = [...lines.slice(i), ...lines.slice(0, i)];
      return append(i % 2 === 0 ? turned : turned.reverse(), clients[i % clients.length]);
    });
    for (const { accepted } of await Promise.all(sends)) expect(accepted).toBe(60);
    const { data, meta } = await list({ query: { app_id, page_size: 10_000 } });
    expect(data).toHaveLength(meta.count);
    expect(data.reduce((sum, { count }) => sum + count, 0)).toBe(20 * 12 * (1 + 2 + 3 + 1 + 2));
    // 12 texts x 3 levels x the sources that sent them at that level.
    expect(meta.count).toBe(new Set(data.map(({ level, src, log }) => `${level},${src},${log.split(' ')[0]}`)).size);
    await expectTrueCounters(api.server.deps.db);
  });
});

describe('GET /admin-api/log_server/errlog', () => {
  it('shows exactly the fields of the specification, and ours with detail=1', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: word(), app_id }]);
    for (const [query, fields] of [
      ['', FIELDS],
      ['&detail=0', FIELDS],
      ['&detail=', FIELDS],
      ['&detail=1', DETAIL_FIELDS],
    ] as const) {
      const { body } = await api.fetch(`${ERRLOG_PATH}?app_id=${app_id}${query}`, {
        headers: { 'edge-token': api.adminToken },
      });
      expect(Object.keys(body).sort()).toEqual(['data', 'status', 'time']);
      expect(Object.keys(body.data).sort()).toEqual(['data', 'meta']);
      expect(body.data.meta).toEqual({ count: 1 });
      expect(Object.keys(body.data.data[0]).sort()).toEqual([...fields].sort());
      for (const name of ['id', 'level', 'count', 'src', 'log_time']) {
        expect(Number.isInteger(body.data.data[0][name]), name).toBe(true);
      }
    }
  });

  it('takes an empty value for none, with and without a slash', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: word(), app_id }]);
    const empty =
      'node_id=&node_type=&level=&level_max=&req_id=&src=&start_time=&end_time=&page=&page_size=&start=&end';
    for (const path of [ERRLOG_PATH, `${ERRLOG_PATH}/`]) {
      const headers = { 'edge-token': api.adminToken };
      const { body } = await api.fetch(`${path}?${empty}&app_id=${app_id}&whatever=1&detail`, { headers });
      expect(body.data.meta.count).toBe(1);
      const all = await api.fetch(`${path}?${empty}&app_id=`, { headers });
      expect(all.body.data.meta.count).toBeGreaterThan(1);
      expect(all.body.data.data.length).toBeLessThanOrEqual(20);
    }
  });

  it('refuses what a filter cannot be, and names it', async () => {
    const headers = { 'edge-token': api.adminToken };
    for (const wrong of [
      'level=9',
      'level=-1',
      'level=error',
      'level=4.0',
      'level=4&level=5',
      'level_max=9',
      'node_type=3',
      'node_id=-1',
      'node_id=x',
      'app_id=1e3',
      'app_id=99999999999',
      'src=-1',
      'start_time=-1',
      'start_time=2026-01-01',
      'end_time=1.5',
      'req_id=%00',
      `req_id=${'x'.repeat(129)}`,
      'req_id=a&req_id=b',
      'page=0',
      'page=-1',
      'page_size=-1',
      'page_size=10001',
      'start=-1',
      'end=x',
      'start=0&end=10001',
      'detail=2',
      'detail=true',
    ]) {
      const { status, body } = await api.fetch(`${ERRLOG_PATH}?${wrong}`, { headers });
      expect([status, body.err?.code], wrong).toEqual([400, 'validation_failed']);
      const name = wrong.startsWith('start=0') ? 'end' : wrong.split('=')[0];
      expect(body.err.fields.map(({ path }: Answer) => path)).toEqual([`query.${name}`]);
    }
  });
});
