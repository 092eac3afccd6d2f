// Facets of a span of time: counted in indexes, they equal the groups, up to the bound.
import type { ErrlogFilter } from '@quarterdeck/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Counted, countKindsInSpan, type Kinds } from '../../../../../packages/store/src/read/kinds-in-span.ts';
import { DIALECT, useApi } from '../../start-api.ts';
import { storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const GROUPS = 450;

const api = useApi();
let start: number;
beforeAll(async () => {
  start = Math.floor(api.now() / 1000) - GROUPS;
  // Three of the same second.
  const body = Array.from({ length: GROUPS }, (_, i) => ({
    level: i % 4,
    log: `${word()} below deck`,
    log_time: start + Math.floor(i / 3),
    node_id: i % 5,
    app_id: i % 7,
  }));
  await storeGroups(api.server.deps.db, body);
  for (const [state, level] of [
    ['resolved', 1],
    ['ongoing', 2],
  ] as const) {
    await api.admin.errlog.bulk({ body: { filter: { level }, state } });
  }
});

const sums = (rows: readonly Counted[], column: 'src' | 'app_id' | 'level' | 'state') => {
  const counts = new Map<number | string, number>();
  for (const row of rows) {
    const value = row[column];
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + row.n);
  }
  return counts;
};

/** Expects the kinds of the newest `max` groups of a filter. */
async function expectKinds(found: Kinds | undefined, filter: ErrlogFilter, max: number): Promise<void> {
  const { state, ...others } = filter;
  const query = { ...others, ...(state && { state: state.join(',') }), page_size: Math.min(max, 10_000) };
  const { data, meta } = await api.admin.errlog.list({ query: { ...query, detail: 1 } });
  const wanted = data.map((row) => ({ ...row, n: 1 }));
  for (const column of ['src', 'app_id', 'level', 'state'] as const) {
    expect(sums(found?.counts ?? [], column), column).toEqual(sums(wanted as Counted[], column));
  }
  expect(found?.partial).toBe(meta.count > max);
}

describe('the kinds of a span of time', () => {
  it.each([
    [0, 1_000, GROUPS],
    [0, 1_000, GROUPS - 1],
    [0, 1_000, 1],
    [20, 120, 301],
    [20, 120, 10_000],
    [120, 20, 10_000],
    [5_000, 6_000, 10_000],
  ])('from %i to %i, of at most %i groups', async (from, to, max) => {
    const span = { start_time: start + from, end_time: start + to };
    await expectKinds(await countKindsInSpan(api.server.deps.db, span, max), span, max);
  });

  it.each([
    [{ level: 1 }, 10_000],
    [{ level_max: 2 }, 100],
    [{ app_id: 0 }, 5],
    [{ state: ['new' as const] }, 10_000],
  ])('are counted by an index of PostgreSQL, with %j, of at most %i groups', async (filter, max) => {
    const span = { start_time: start + 10 };
    const found = await countKindsInSpan(api.server.deps.db, { ...span, ...filter }, max);
    if (DIALECT === 'sqlite') expect(found).toBeUndefined();
    else await expectKinds(found, { ...span, ...filter }, max);
  });

  it('are in the facets', async () => {
    const query = { start_time: start + 10, end_time: start + 100, top: 3 };
    const facets = await api.admin.errlog.facets({ query });
    // The same of a filter that every group passes, for which groups are read.
    expect(facets).toEqual(await api.admin.errlog.facets({ query: { ...query, q: 'BELOW deck' } }));
    expect(facets.apps).toHaveLength(3);
  });

  it('include what happened last at once, as histograms and the order of counts do', async () => {
    const ask = async () => {
      const { levels } = await api.admin.errlog.facets({ query: { start_time: start } });
      const { buckets } = await api.admin.errlog.histogram({ query: { app_id: 70, buckets: 1 } });
      const [first] = (await api.admin.errlog.list({ query: { app_id: 70, sort: '-count' } })).data;
      return [levels.find(({ level }) => level === 7)?.count ?? 0, buckets[0]?.count, first?.log];
    };
    expect(await ask()).toEqual([0, 0, undefined]);
    const logs = [word(), word(), word()];
    for (const [i, log] of logs.entries()) {
      await storeGroups(api.server.deps.db, [{ level: 7, log, app_id: 70, count: 10 * (i + 1) }]);
      for (let twice = 0; twice < 2; twice += 1) expect(await ask()).toEqual([i + 1, 5 * (i + 1) * (i + 2), log]);
    }
  });
});
