// Texts of more groups than a search counts: these take thousands of groups.
import { ERRLOG_SORTS } from '@quarterdeck/core';
import { beforeAll, expect, it } from 'vitest';
import { updateSearchIndex } from '../../../../../packages/store/src/tables/search-index.ts';
import { errlogCalls } from '../../errlog-calls.ts';
import { useApi } from '../../start-api.ts';
import { type GroupLine, storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const api = useApi();
beforeAll(async () => {
  // The tests say when the index learns new texts.
  await api.server.jobs.stop();
});

const { newApp, nowS } = errlogCalls(() => api);
const index = () => updateSearchIndex(api.server.deps.db, () => false, 0);
async function append(lines: readonly GroupLine[]): Promise<void> {
  for (let at = 0; at < lines.length; at += 500) await storeGroups(api.server.deps.db, lines.slice(at, at + 500));
}

it('counts up to 5,000; of more it counts 500 and says so, in lists, facets and histograms', async () => {
  const app_id = newApp();
  const common = `${word()} everywhere`;
  const line = (log: string) => ({ level: 6, log: `${log} ${common}`, app_id });
  const names = Array.from({ length: 5_007 }, word);
  await append(names.slice(0, 5_000).map(line));
  const query = { q: common, app_id, page_size: 0 };
  expect((await api.admin.errlog.list({ query })).meta).toEqual({ count: 5_000, complete: true });
  expect((await api.admin.errlog.facets({ query: { q: common } })).partial).toBeUndefined();
  await append(names.slice(5_000).map(line));
  // The index knows none of them, and then all.
  for (const count of [5_000, 500]) {
    expect((await api.admin.errlog.list({ query })).meta).toEqual({ count, capped: true, complete: true });
    const deep = await api.admin.errlog.list({ query: { ...query, page: 250, page_size: 20 } });
    expect(deep.data).toHaveLength(20);
    expect(deep.meta).toEqual({ count: 5_000, capped: true, complete: true });
    const facets = await api.admin.errlog.facets({ query: { q: common } });
    expect(facets).toMatchObject({ partial: true, levels: [{ level: 6, count }], meta: { complete: false } });
    const histogram = await api.admin.errlog.histogram({ query: { q: common } });
    expect(histogram).toMatchObject({ partial: true, meta: { complete: false } });
    await index();
  }
  // A text in few of them is counted to the end.
  expect((await api.admin.errlog.list({ query: { q: names[5] ?? '', app_id } })).meta.capped).toBeUndefined();
});

it('finds what more than a few have in every order, with a filter and without', async () => {
  const app_id = newApp();
  const now = nowS();
  const common = `${word()} eke eel eve ewe eye`;
  const line = (_: unknown, i: number) => ({
    level: i % 7,
    log: `${word()} ${common}`,
    app_id,
    log_time: now - (i % 1_500),
    count: 1 + (i % 3 === 0 ? i % 41 : 0),
  });
  await append(Array.from({ length: 5_003 }, line));
  await index();
  for (const sort of ERRLOG_SORTS) {
    for (const slice of [{ page_size: 25 }, { page: 3, page_size: 900 }]) {
      const wanted = await api.admin.errlog.list({ query: { app_id, sort, ...slice } });
      for (const filter of [{ app_id }, {}]) {
        const found = await api.admin.errlog.list({ query: { q: common, sort, ...filter, ...slice } });
        expect(found.meta.capped).toBe(true);
        expect(found.data.map(({ id }) => id)).toEqual(wanted.data.map(({ id }) => id));
      }
    }
    // So many begin with this letter, time and again, that the list is read.
    const found = await api.admin.errlog.list({ query: { q: 'E', sort, app_id, level: 3, page_size: 40 } });
    const wanted = await api.admin.errlog.list({ query: { sort, app_id, level: 3, page_size: 40 } });
    expect(found.data).toEqual(wanted.data);
  }
});
