// Orders with more groups than a portion has: nothing is left out or comes twice, and others have their turn.
import { ERRLOG_SORTS, type ErrlogFilter } from '@quarterdeck/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countEventLoopRounds } from '../../../test/count-event-loop-rounds.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { cached } from '../../sql/cached.ts';
import { Where } from '../../sql/where.ts';
import { asQuery, columnOf, deepPage, inOrder, orderOf, PORTION, portionsOf, portionsWith } from './ordered-scan.ts';

const GROUPS = 2_500;

let api: TestApi;
let start: number;
beforeAll(async () => {
  api = await startApi();
  start = Math.floor(api.now() / 1000) - GROUPS;
  // Several of the same second, of two sources and all levels.
  const body = Array.from({ length: GROUPS }, (_, i) => ({
    level: i % 9,
    log: `${word()} in the bilge`,
    log_time: start + (i >> 2),
    node_id: i % 2,
    app_id: i % 3,
    count: 1 + (i % 5),
  }));
  for (let at = 0; at < GROUPS; at += 500) await api.admin.errlog.append({ body: body.slice(at, at + 500) });
});
afterAll(() => api[Symbol.asyncDispose]());

const idsOf = async (query: object) => (await api.admin.errlog.list({ query })).data.map(({ id }) => id);

describe('the portions of an order', () => {
  const filters: ErrlogFilter[] = [
    {},
    { level_max: 6 },
    { node_id: 1 },
    { state: ['new', 'ongoing'] },
    { state: ['muted', 'new', 'resolved'] },
    { app_id: 1 },
    { node_type: 0, state: ['new'] },
  ];

  it.each(filters)('have each group of a filter once, in the order of the list: %j', async (filter) => {
    const { db } = api.server.deps;
    const whole = { ...filter, start_time: start + 10, end_time: start + 600 };
    const list = await idsOf({ ...whole, state: filter.state?.join(), page_size: GROUPS });
    const sizes: number[] = [];
    const ids: number[] = [];
    for await (const portion of portionsOf(db.read.sql, await inOrder(db, whole, '-log_time'), 10_000)) {
      const { text, values } = asQuery(portion, 'e.id, e.log_time');
      const inTheirOrder = cached(`${text} ${orderOf('-log_time')}`);
      const rows = await db.read.sql.all<{ id: number }>(inTheirOrder, ...values);
      ids.push(...rows.map(({ id }) => id));
      sizes.push(rows.length);
    }
    expect(ids).toEqual(list);
    expect(ids.length).toBeGreaterThan(500);
    expect(sizes.slice(0, -1).every((size) => size === PORTION)).toBe(true);
  });

  it.each([
    [1_700, [1_000, 700], true],
    [GROUPS, [1_000, 1_000, 500], false],
    [GROUPS + 1, [1_000, 1_000, 500], false],
  ])('are at most %i groups, and say whether there are more', async (max, wanted, more) => {
    const { db } = api.server.deps;
    const portions = portionsOf(db.read.sql, await inOrder(db, {}, '-log_time'), max);
    const sizes: number[] = [];
    for (;;) {
      const { done, value } = await portions.next();
      if (done === true) {
        expect(value).toBe(more);
        break;
      }
      const { text, values } = asQuery(value, 'e.id');
      sizes.push((await db.read.sql.all(cached(text), ...values)).length);
    }
    expect(sizes).toEqual(wanted);
  });

  it('go through those that are tied, however many', async () => {
    const { db } = api.server.deps;
    const app_id = 77;
    const line = (_: unknown, i: number) => ({
      level: 4,
      log: `${word()} tied`,
      app_id,
      count: i % 100 === 0 ? 9 : 2,
      log_time: start + (i < 300 ? i : Math.min(i, 2_400)),
    });
    const groups = Array.from({ length: 4_700 }, line);
    for (let at = 0; at < groups.length; at += 500) await api.admin.errlog.append({ body: groups.slice(at, at + 500) });
    for (const sort of ['log_time', '-log_time', 'magnitude', '-magnitude'] as const) {
      const ordered = await inOrder(db, { app_id }, sort);
      const query = (portion: typeof ordered) => {
        const { text, values } = asQuery(portion, `e.id, e.${columnOf(sort)}`);
        return db.read.sql.all<{ id: number }>(cached(`${text} ${orderOf(sort)}`), ...values);
      };
      const [portions, sizes]: [{ id: number }[], number[]] = [[], []];
      for await (const portion of portionsOf(db.read.sql, ordered, 10_000)) {
        const rows = await query(portion);
        portions.push(...rows);
        sizes.push(rows.length);
      }
      expect(portions).toEqual(await query(ordered));
      expect(sizes).toEqual([PORTION, PORTION, PORTION, PORTION, 700]);
    }
  });

  it.each([1, 300, 833, 1_000, 10_000])('that meet a condition are the first %i of these', async (max) => {
    const { db } = api.server.deps;
    for (const [filter, sort] of [
      [{}, '-log_time'],
      [{ node_id: 1 }, 'log_time'],
    ] as const) {
      const ordered = await inOrder(db, { ...filter, end_time: start + 600 }, sort);
      const portions = portionsWith(db.read.sql, ordered, new Where().and('e.count = ?', 3), max);
      const ids: number[] = [];
      for (;;) {
        const { done, value } = await portions.next();
        if (done === true) {
          const query = { ...filter, end_time: start + 600, sort, page_size: 10_000, detail: 1 };
          const wanted = (await api.admin.errlog.list({ query })).data.filter(({ count }) => count === 3);
          expect(ids).toEqual(wanted.slice(0, max).map(({ id }) => id));
          expect(value).toBe(wanted.length > max);
          break;
        }
        const { text, values } = asQuery(value, 'e.id, e.log_time');
        const rows = await db.read.sql.all<{ id: number }>(cached(`${text} ${orderOf(sort)}`), ...values);
        ids.push(...rows.map(({ id }) => id));
      }
    }
  });

  it('that meet a condition leave others their turn, however few they are', async () => {
    const { db } = api.server.deps;
    const turns = await countEventLoopRounds(async () => {
      const ordered = await inOrder(db, {}, '-log_time');
      expect(await portionsWith(db.read.sql, ordered, new Where().and('e.count < 0'), 1).next()).toEqual({
        done: true,
        value: false,
      });
    });
    expect(turns).toBeGreaterThan(1);
  });

  it('leave others their turn', async () => {
    const { db } = api.server.deps;
    const portions = portionsOf(db.read.sql, await inOrder(db, {}, '-log_time'), GROUPS);
    await portions.next();
    let hadTurn = false;
    setImmediate(() => {
      hadTurn = true;
    });
    await portions.next();
    expect(hadTurn).toBe(true);
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
      for (const offset of [0, 8, 99, 101, all.length >> 1, all.length - 8]) {
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
    { sort: 'log_time', q: 'IN THE BILGE', page_size: GROUPS },
  ])('are what the whole list has there: %j', async (query) => {
    const all = await idsOf({ ...query, page_size: 10_000 });
    expect(all.length).toBeGreaterThan(1_000);
    for (const at of [
      0,
      499,
      501,
      1_000,
      1_001,
      1_249,
      all.length - 1_001,
      all.length - 5,
      all.length - 1,
      all.length,
    ]) {
      const { page_size: _, ...narrowed } = { page_size: 0, ...query };
      expect(await idsOf({ ...narrowed, start: at, end: at + 7 }), `from ${at}`).toEqual(all.slice(at, at + 7));
    }
  });
});
