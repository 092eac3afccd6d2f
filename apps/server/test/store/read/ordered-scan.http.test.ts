// Orders with more groups than a portion has, many of them tied: nothing is left out or comes twice, and others have
// their turn.
import { ERRLOG_SORTS, type ErrlogEntry, type ErrlogFilter, type ErrlogSort } from '@quarterdeck/core';
import { Where } from '@quarterdeck/core/sql';
import { beforeAll, describe, expect, it } from 'vitest';
import { listErrlog } from '../../../../../packages/store/src/read/list.ts';
import {
  countOf,
  deepPage,
  inOrder,
  type Ordered,
  PORTION,
  portionsOf,
  portionsWith,
} from '../../../../../packages/store/src/read/ordered-scan.ts';
import { magnitudeOf } from '../../../../../packages/store/src/tables/group-state.ts';
import { countEventLoopRounds } from '../../count-event-loop-rounds.ts';
import { useApi } from '../../start-api.ts';
import { storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const GROUPS = 3_400;
/** The others have the same second. */
const UNTIED = 800;

/** A third has a small count, most of these 1; all others have one magnitude. */
const countAt = (i: number) => (i % 3 < 2 ? 100 + (i % 5) : i % 39 === 2 ? 3 : 1);

const api = useApi();
let start: number;
let groups: readonly ErrlogEntry[];
beforeAll(async () => {
  start = Math.floor(api.now() / 1000) - GROUPS;
  const body = Array.from({ length: GROUPS }, (_, i) => ({
    level: i % 9,
    log: `${word()} in the bilge`,
    log_time: start + (Math.min(i, UNTIED) >> 2),
    node_id: i % 2,
    app_id: i % 4,
    count: countAt(i),
  }));
  for (let at = 0; at < GROUPS; at += 850) await storeGroups(api.server.deps.db, body.slice(at, at + 850));
  groups = (await api.admin.errlog.list({ query: { page_size: GROUPS, detail: 1 } })).data;
});

const idsOf = async (query: object) => (await api.admin.errlog.list({ query })).data.map(({ id }) => id);

/** Sizes of all portions, and whether there are more groups. */
async function sizesOf(portions: AsyncGenerator<Ordered, boolean>): Promise<[number[], boolean]> {
  const sizes: number[] = [];
  for (;;) {
    const { done, value } = await portions.next();
    if (done === true) return [sizes, value];
    sizes.push(await countOf(api.server.deps.db.read.sql, value));
  }
}

describe('the portions of an order', () => {
  it.each([
    [1_700, [1_000, 700], true],
    [GROUPS, [1_000, 1_000, 1_000, 400], false],
    [GROUPS + 1, [1_000, 1_000, 1_000, 400], false],
  ])('are at most %i groups, and say whether there are more', async (max, sizes, more) => {
    const { db } = api.server.deps;
    expect(await sizesOf(portionsOf(db.read.sql, await inOrder(db, {}, '-log_time'), max))).toEqual([sizes, more]);
  });

  it('that meet a condition are the first of these, as many as are requested', async () => {
    const { db } = api.server.deps;
    const ordered = await inOrder(db, { end_time: start + 600 }, '-log_time');
    const all = groups.filter(({ count, log_time }) => count === 3 && log_time <= start + 600).length;
    for (const max of [1, 50, all - 1, all, 10_000]) {
      const [sizes, more] = await sizesOf(portionsWith(db.read.sql, ordered, new Where().and('e.count = ?', 3), max));
      expect([sizes.reduce((sum, n) => sum + n, 0), more]).toEqual([Math.min(max, all), max < all]);
    }
  });

  it('leave others their turn, also where few groups meet a condition', async () => {
    const { db } = api.server.deps;
    const none = new Where().and('e.count < 0');
    const rounds = await countEventLoopRounds(async () => {
      const portions = portionsWith(db.read.sql, await inOrder(db, {}, '-log_time'), none, 1);
      expect(await portions.next()).toEqual({ done: true, value: false });
    });
    expect(rounds).toBeGreaterThan(1);
  });
});

describe('deepPage', () => {
  it.each([
    {},
    { level: 4 },
    { level_max: 1 },
    { level_max: 8 },
    { node_id: 1 },
    { node_type: 0, level_max: 0 },
    { level_max: 8, start_time: 1 },
  ] satisfies ErrlogFilter[])('skips entries of the index in any steps: %j', async (filter) => {
    const { db } = api.server.deps;
    const all = await idsOf({ ...filter, page_size: 10_000 });
    const ordered = await inOrder(db, filter, '-log_time');
    for (const skipAtOnce of [7, 100]) {
      for (const offset of [0, 8, 101, all.length >> 1, all.length - 8]) {
        const slice = { offset, limit: 10 };
        const page = await deepPage(db.read.sql, { ...ordered, skipAtOnce }, slice, { count: all.length, detail: 0 });
        expect(page.map(({ id }) => id)).toEqual(all.slice(offset, offset + 10));
      }
    }
  });
});

describe('far pages', () => {
  it.each([
    ...ERRLOG_SORTS.map((sort) => ({ sort, state: 'new,ongoing' })),
    { sort: '-log_time', start_time: 1 },
    { sort: '-log_time', rollup: true },
    { sort: '-log_time', node_id: 0, end_time: Number.MAX_SAFE_INTEGER },
    { sort: 'log_time', q: 'IN THE BILGE' },
    { sort: '-log_time', filter: '"in the bilge" -level:emerg' },
    { sort: '-log_time', node_id: 1, q: 'IN THE BILGE', start_time: 1 },
  ])('are what the whole list has there: %j', async (query) => {
    const all = await idsOf({ ...query, page_size: 10_000 });
    expect(all.length).toBeGreaterThan(1_000);
    for (const at of [0, 1_000, 1_001, 1_249, all.length - 1_001, all.length - 1, all.length]) {
      expect(await idsOf({ ...query, start: at, end: at + 7 }), `from ${at}`).toEqual(all.slice(at, at + 7));
    }
  });
});

describe('the order of counts', () => {
  it('has magnitudes of more groups than a portion', () => {
    const sizes = Map.groupBy(groups, ({ count }) => magnitudeOf(count));
    expect(sizes.get(magnitudeOf(100))?.length).toBeGreaterThan(2 * PORTION);
    expect(sizes.get(1)?.length).toBeGreaterThan(PORTION);
  });

  it.each([
    { query: {}, is: () => true },
    { query: { app_id: 1 }, is: ({ app_id }: ErrlogEntry) => app_id === 1 },
    { query: { level_max: 6 }, is: ({ level }: ErrlogEntry) => level <= 6 },
    { query: { node_id: 1, state: 'new' }, is: ({ node_id }: ErrlogEntry) => node_id === 1 },
  ])('is kept on every page: $query', async ({ query, is }) => {
    const matching = groups.filter(is);
    for (const [sort, sign] of [
      ['-count', -1],
      ['count', 1],
    ] as const satisfies [ErrlogSort, number][]) {
      const all = matching.toSorted((a, b) => sign * (a.count - b.count || a.id - b.id)).map(({ id }) => id);
      for (const at of [0, 30, all.length >> 1, Math.max(0, all.length - 1_003), all.length - 4, all.length]) {
        const asked = { ...query, sort, start: at, end: at + 25 };
        const { data, meta } = await api.admin.errlog.list({ query: asked });
        const ids = data.map(({ id }) => id);
        expect(ids, JSON.stringify(asked)).toEqual(all.slice(at, at + 25));
        expect(meta).toEqual({ count: all.length });
      }
    }
  });

  it('leaves others their turn', async () => {
    const { db, lineReads: lines } = api.server.deps;
    const reader = { db, lines, credential: '', nowS: 0 };
    const sort = '-count' as const;
    for (const filter of [{}, { node_id: 0 }]) {
      const query = { filter, sort, rollup: false, slice: { offset: 5, limit: 13 }, detail: 0 } as const;
      expect(await countEventLoopRounds(() => listErrlog(reader, query))).toBeGreaterThan(1);
    }
  });
});
