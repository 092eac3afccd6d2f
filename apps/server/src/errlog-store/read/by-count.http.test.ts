// The order of counts, where a magnitude has more groups than a portion, and where something happens between two pages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countEventLoopRounds } from '../../../test/count-event-loop-rounds.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { magnitudeOf } from '../tables/group-state.ts';
import { listErrlog } from './list.ts';

const GROUPS = 4_200;
const NODES = 6;

interface Group {
  readonly id: number;
  readonly count: number;
  readonly app_id: number;
  readonly node_id: number;
}

let api: TestApi;
let groups: Group[];
/** Those of 100 to 104 times are one magnitude, those below 16 one for each count. */
const countAt = (i: number) => (i % 2 === 0 ? 100 + (i % 5) : i % 4 === 1 ? 1 : 1 + (i % 13));

beforeAll(async () => {
  api = await startApi();
  const start = Math.floor(api.now() / 1000) - GROUPS;
  const lines = Array.from({ length: GROUPS }, (_, i) => ({
    level: i % 9,
    log: `${word()} in the rigging`,
    log_time: start + ((i * 7) % GROUPS),
    count: countAt(i),
    app_id: i % 11 === 0 ? 1 : 0,
    node_id: i % NODES,
  }));
  for (let at = 0; at < GROUPS; at += 700) await api.admin.errlog.append({ body: lines.slice(at, at + 700) });
  const { data } = await api.admin.errlog.list({ query: { page_size: GROUPS, detail: 1 } });
  groups = data.map(({ id, count, app_id = 0, node_id }) => ({ id, count, app_id, node_id: node_id ?? 0 }));
});
afterAll(() => api[Symbol.asyncDispose]());

const byCount = (rows: readonly Group[], sign: number) =>
  [...rows].sort((a, b) => sign * (a.count - b.count || a.id - b.id)).map(({ id }) => id);

describe('the order of counts', () => {
  it('has a magnitude of more groups than a portion', () => {
    const sizes = Map.groupBy(groups, ({ count }) => magnitudeOf(count));
    expect(sizes.get(magnitudeOf(100))?.length).toBe(GROUPS / 2);
    expect(sizes.get(1)?.length).toBeGreaterThan(1_000);
  });

  it.each([
    { query: {}, is: () => true },
    { query: { app_id: 0 }, is: ({ app_id }: Group) => app_id === 0 },
    { query: { app_id: 1 }, is: ({ app_id }: Group) => app_id === 1 },
    { query: { node_id: 3, state: 'new' }, is: ({ node_id }: Group) => node_id === 3 },
  ])('is kept on every page: $query', async ({ query, is }) => {
    const wanted = groups.filter(is);
    for (const [sort, sign] of [
      ['-count', -1],
      ['count', 1],
    ] as const) {
      const all = byCount(wanted, sign);
      for (const start of [0, 1, 30, 2_000, all.length / 2, all.length - 1_003, all.length - 4, all.length]) {
        const from = Math.max(0, Math.floor(start));
        const asked = { ...query, sort, start: from, end: from + 25 };
        const { data, meta } = await api.admin.errlog.list({ query: asked });
        expect(
          data.map(({ id }) => id),
          JSON.stringify(asked),
        ).toEqual(all.slice(from, from + 25));
        expect(meta).toEqual({ count: all.length });
      }
    }
  });

  it('leaves others their turn', async () => {
    const { db, lineReads: lines } = api.server.deps;
    const reader = { db, lines, credential: '', nowS: 0 };
    const sort = '-count' as const;
    for (const filter of [{}, { app_id: 0 }]) {
      const query = { filter, sort, rollup: false, slice: { offset: 5, limit: 13 }, detail: 0 } as const;
      expect(await countEventLoopRounds(() => listErrlog(reader, query))).toBeGreaterThan(1);
    }
  });

  it('is at once that of what happened last', async () => {
    const app_id = 5;
    const logs = [word(), word(), word()];
    const happen = (log: string, count: number) =>
      api.admin.errlog.append({ body: [{ level: 3, log, count, app_id, node_id: 1 }] });
    const shown = async () => {
      const [all, some] = await Promise.all([
        api.admin.errlog.list({ query: { sort: '-count', page_size: 3 } }),
        api.admin.errlog.list({ query: { sort: '-count', app_id } }),
      ]);
      expect(all.data).toEqual(some.data);
      return some.data.map(({ log, count }) => [log, count]);
    };
    for (const [i, log] of logs.entries()) await happen(log, 9_000 + i);
    expect(await shown()).toEqual([2, 1, 0].map((i) => [logs[i], 9_000 + i]));
    expect(await shown()).toEqual([2, 1, 0].map((i) => [logs[i], 9_000 + i]));
    await happen(logs[0] ?? '', 5);
    expect(await shown()).toEqual([
      [logs[0], 9_005],
      [logs[2], 9_002],
      [logs[1], 9_001],
    ]);
  });
});
