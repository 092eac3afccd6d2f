// A list that is read by cursor while its groups move: none that matches throughout is left out.
import { ERRLOG_SORTS, type ErrlogEntry } from '@quarterdeck/core';
import type { Sql, SqlValue, Statement } from '@quarterdeck/core/db';
import { cached } from '@quarterdeck/core/sql';
import { isApiError } from '@quarterdeck/sdk';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { inOrder, placesBehind } from '../../../../../packages/store/src/read/ordered-scan.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { DIALECT, type TestApi, useApi } from '../../start-api.ts';
import { type GroupLine, storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const GROUPS = 120;

const api = useApi({ ERRLOG_DAYS: '0', OCCURRENCE_DAYS: '0' });
let start: number;
let logs: string[];
beforeAll(async () => {
  start = Math.floor(api.now() / 1000) - 100_000;
  logs = Array.from({ length: GROUPS }, (_, i) => `${word()} in the ${i % 3 === 0 ? 'bilge' : 'galley'}`);
  await store(logs.map((_, i) => lineOf(i, start + (i >> 2) * 60, 1 + ((i * i) % 40))));
});

const store = (lines: readonly GroupLine[]) => storeGroups(api.server.deps.db, lines, api.now());
const lineOf = (i: number, log_time: number, count = 1) => ({
  level: i % 9,
  log: logs[i] ?? '',
  log_time,
  node_id: i % 2,
  app_id: i % 3,
  count,
});

type Query = NonNullable<NonNullable<Parameters<TestApi['admin']['errlog']['list']>[0]>['query']>;
const list = (query: Query) => api.admin.errlog.list({ query });
const idsOf = (entries: readonly ErrlogEntry[]) => entries.map(({ id }) => id);

/** Reads a list by cursor. `between` runs after each page. */
async function readAll(query: Query, sizes: readonly number[], between: (page: number) => Promise<unknown>) {
  const pages: number[][] = [];
  let cursor: string | null | undefined = '';
  for (let page = 0; typeof cursor === 'string'; page += 1) {
    const { data, meta } = await list({ ...query, cursor, page_size: sizes[page % sizes.length] ?? 1 });
    expect(new Set(idsOf(data)).size).toBe(data.length);
    pages.push(idsOf(data));
    cursor = meta.next;
    expect(pages.length).toBeLessThan(20 * GROUPS);
    if (cursor !== null) await between(page);
  }
  return pages;
}

const nothing = async () => {};
const FILTERS = () =>
  fc.constantFrom<Query>(
    {},
    { level_max: 5 },
    { node_id: 1 },
    { app_id: 1, level_max: 6 },
    { state: 'new,ongoing,regressed' },
    { start_time: start + 300 },
    { start_time: start + 300, end_time: start + 1_200 },
    { q: 'bilge' },
    { filter: 'galley or level:0' },
    { filter: 'bilge', end_time: start + 900 },
    { filter: 'not level:3' },
  );

/** The orders that have a cursor. */
const SORTS = ERRLOG_SORTS.filter((sort) => !/(level|source)$/.test(sort));

describe('GET /admin-api/log_server/errlog with a cursor', () => {
  it('returns each group once, in the order of the list, while nothing moves', async () => {
    await fc.assert(
      fc.asyncProperty(
        FILTERS(),
        fc.constantFrom(...SORTS),
        fc.integer({ min: 4, max: 50 }),
        async (filter, sort, size) => {
          const whole = await list({ ...filter, sort, page_size: 1_000 });
          const pages = await readAll({ ...filter, sort }, [size], nothing);
          expect(pages.flat()).toEqual(idsOf(whole.data));
          expect(pages.length).toBe(Math.floor(whole.data.length / size) + 1);
        },
      ),
      { numRuns: atMost(3, 100) },
    );
  });

  it('leaves out no group that matches throughout while groups move', async () => {
    const moves = fc.array(
      fc.record({ group: fc.nat(GROUPS - 1), at: fc.nat(3_000), count: fc.constantFrom(1, 2, 30) }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(
        FILTERS(),
        fc.constantFrom(...SORTS),
        fc.array(fc.integer({ min: 4, max: 40 }), { minLength: 1, maxLength: 3 }),
        fc.array(moves, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(0, 1),
        async (filter, sort, sizes, steps, detail) => {
          const query = { ...filter, sort, detail };
          const before = await list({ ...query, page_size: 1_000 });
          const pages = await readAll(query, sizes, async (page) => {
            const body = (steps[page] ?? []).map(({ group, at, count }) => lineOf(group, start + at, count));
            if (body.length > 0) await store(body);
            if (page === 2) await api.server.jobs.runAll();
          });
          const after = new Set(idsOf((await list({ ...query, page_size: 1_000 })).data));
          const throughout = idsOf(before.data).filter((id) => after.has(id));
          const read = new Set(pages.flat());
          expect(throughout.filter((id) => !read.has(id))).toEqual([]);
        },
      ),
      // Groups stay moved, so a smaller case is another one.
      { numRuns: atMost(3, 30), endOnFailure: true },
    );
  });

  it('ends although each page makes all groups move', async () => {
    let time = Math.floor(api.now() / 1000) - 50_000;
    const all = logs.map((_, i) => i);
    const pages = await readAll({}, [50], async () => {
      time += 1;
      await store(all.map((i) => lineOf(i, time)));
    });
    expect(new Set(pages.flat()).size).toBe(GROUPS);
    expect(pages.length).toBeLessThanOrEqual(7);
  });

  it('leaves out no group whose new line was removed at once', async () => {
    const { db } = api.server.deps;
    const [last] = (await list({ sort: '-log_time', page_size: 1_000 })).data.slice(-1);
    const pages = await readAll({ sort: '-log_time' }, [50], async (page) => {
      if (page > 0) return;
      const newest = await db.read.prisma.errlogSegment.findFirst({ orderBy: { id: 'desc' } });
      await store([lineOf(logs.indexOf(last?.log ?? ''), Math.floor(api.now() / 1000))]);
      await db.write((tx) => tx.prisma.errlogSegment.deleteMany({ where: { id: { gt: newest?.id ?? 0 } } }));
    });
    expect(pages.slice(1).flat()).toContain(last?.id);
  });

  it.each([
    ['cursor', { cursor: 'x' }],
    ['cursor', { cursor: Buffer.from('0123456789abcdef 1 list 1 1').toString('base64url') }],
    ['cursor', { cursor: '', page: 2 }],
    ['cursor', { cursor: '', start: 5 }],
    ['cursor', { cursor: 'x', rollup: true }],
    ['page_size', { cursor: '', page_size: 0 }],
  ])('refuses a wrong %s: %j', async (field, query) => {
    const error = await list(query).catch((thrown: unknown) => thrown);
    expect(isApiError(error) && [error.status, error.code, error.fields?.map(({ path }) => path)]).toEqual([
      400,
      'validation_failed',
      [`query.${field}`],
    ]);
  });

  it('returns rolled-up errors by pages, without a next cursor', async () => {
    const { data, meta } = await list({ cursor: '', rollup: true });
    expect([data.length > 0, 'next' in meta]).toEqual([true, false]);
  });

  it('refuses the cursor of another filter or order', async () => {
    const { meta } = await list({ cursor: '', page_size: 5, level_max: 5 });
    const cursor = meta.next ?? '';
    await expect(list({ cursor, page_size: 7, level_max: 5 })).resolves.toMatchObject({
      meta: { next: expect.any(String) },
    });
    await expect(list({ cursor, level_max: 4 })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(list({ cursor, level_max: 5, sort: 'count' })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it.runIf(DIALECT === 'sqlite').each(['-log_time', 'log_time', '-first_seen'] as const)(
    'reads %s from an index, without sorting',
    async (sort) => {
      const { db } = api.server.deps;
      const plans: string[] = [];
      const sql: Sql = {
        ...db.read.sql,
        async all<Row>(statement: Statement, ...values: readonly SqlValue[]) {
          const explain = cached(`EXPLAIN QUERY PLAN ${statement.sqlite}`);
          plans.push(
            (await db.read.sql.all<{ detail: string }>(explain, ...values)).map(({ detail }) => detail).join(),
          );
          return db.read.sql.all<Row>(statement, ...values);
        },
      };
      await placesBehind(sql, await inOrder(db, {}, sort, 0), { id: 9, at: start + 600 }, 20);
      expect(plans.length).toBe(2);
      for (const plan of plans) expect(plan).toMatch(/^SEARCH e USING COVERING INDEX \w+ \((log_time|first_seen)[=<>]/);
    },
  );
});
