// Reads of many groups against the model: states, text, orders, roll-up, facets, histogram. Live filters mean the
// same.
import {
  type contract,
  type Data,
  ERRLOG_SORTS,
  ERRLOG_STATES,
  type ErrlogEntry,
  lowerAscii,
  matchesErrlog,
} from '@quarterdeck/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { updateSearchIndex } from '../../../../../packages/store/src/tables/search-index.ts';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { atMost, everyThird, IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { expectTrueCounters } from '../../errlog-counters.ts';
import { changeStates, fillErrlog } from '../../errlog-fill.ts';
import {
  bucketsOf,
  DAY_S,
  FILTER_TEXTS,
  FIRST,
  facetsOf,
  hasSpan,
  inOrder,
  isSearch,
  LAST,
  matches,
  metaOf,
  pageOf,
  type Query,
  type Row,
  rolledUp,
  shownBy,
  shownRolledUp,
} from '../../errlog-model.ts';
import { filtersOf, optional, paging, seldom, times } from '../../errlog-queries.ts';
import { useApi } from '../../start-api.ts';

// These groups are years old in no time.
const api = useApi({ ERRLOG_DAYS: '0', OCCURRENCE_DAYS: '0' });
let rows: Row[];
/** Any filter of the list. */
let filters: fc.Arbitrary<Query>;
beforeAll(async () => {
  // Retention would merge the minutes of the histogram into hours.
  await api.server.jobs.stop();
  rows = await changeStates(api, await fillErrlog(api));
  filters = fc
    .tuple(filtersOf(rows), fc.record({ state: seldom(states), q: seldom(pieces()), fingerprint: seldom(prints()) }))
    .map(([some, more]) => ({ ...some, ...more }));
});

const states = fc.uniqueArray(fc.constantFrom(...ERRLOG_STATES), { minLength: 1 }).map((list) => list.join());
const prints = () => fc.constantFrom(...rows.map(({ fingerprint }) => fingerprint), 'none has this');
/** Pieces of texts, in any case; of one letter, of all groups, of few, of none. */
const pieces = () =>
  fc.oneof(
    fc.constantFrom('failed', 'FAILED AFTER', ' ', 'q', 'a', '7', 'ms', '%', '_', 'zzzzzzzz', ' ms', '12', '123'),
    fc
      .tuple(fc.constantFrom(...rows), fc.nat(20), fc.integer({ min: 1, max: 12 }), fc.boolean())
      .map(([{ log }, from, n, upper]) => {
        const piece = log.slice(from, from + n);
        return upper ? piece.toUpperCase() : piece;
      })
      .filter((piece) => piece !== ''),
  );

const find = (query: Query) => rows.filter((row) => matches(row, query));

/** Returns `meta` without the reason of an empty answer, which only those about a span have. */
function withoutReason(meta: Data<typeof contract.errlog.list>['meta'], query: Query) {
  const { why_empty, silent_since: _since, ...rest } = meta;
  expect(why_empty !== undefined).toBe(meta.count === 0 && hasSpan(query));
  return rest;
}

async function compareList(query: Query): Promise<void> {
  const wanted = inOrder(find(query), query);
  const { data, meta } = await api.admin.errlog.list({ query });
  expect(withoutReason(meta, query)).toEqual(metaOf(wanted.length, query));
  expect(data).toEqual(shownBy(pageOf(wanted, query), query));
}

async function compareRollup(query: Query): Promise<void> {
  const wanted = rolledUp(rows, query);
  const { data, meta } = await api.admin.errlog.list({ query: { ...query, rollup: true } });
  expect(withoutReason(meta, query)).toEqual({
    count: wanted.length,
    ...(hasSpan(query) ? { complete: true } : {}),
  });
  expect(data).toEqual(shownRolledUp(pageOf(wanted, query), rows, query));
}

const SORTS = fc.constantFrom(...ERRLOG_SORTS);

describe('the error logs, of which some are resolved, muted or regressed', () => {
  it('are in every state', () => {
    const counts = Map.groupBy(rows, ({ state }) => state);
    for (const state of ERRLOG_STATES) expect(counts.get(state)?.length ?? 0, state).toBeGreaterThan(5);
    expect(rolledUp(rows, {}).filter(({ sources }) => sources > 1).length).toBeGreaterThan(rows.length / 20);
  });

  it('have true counts', async () => {
    await expectTrueCounters(api.server.deps.db);
  });

  it('have a histogram', async () => {
    const ends = fc.record({ start_time: optional(times), end_time: optional(times) });
    const sizes = optional(fc.constantFrom(1, 2, 60, 1_500));
    await fc.assert(
      fc.asyncProperty(filters, ends, sizes, async (filter, { start_time, end_time }, size) => {
        const { start_time: _, end_time: __, ...rest } = filter;
        const timeless = hasSpan(rest) ? { ...rest, filter: undefined } : rest;
        const ask = { ...timeless, start_time, end_time, ...(size === undefined ? {} : { buckets: size }) };
        const { start, end, step, buckets, partial, meta } = await api.admin.errlog.histogram({ query: ask });
        expect(meta.complete).toBe(true);
        expect(meta.why_empty !== undefined).toBe(buckets.every(({ count }) => count === 0));
        expect([start % step, end % step, step % 60, partial]).toEqual([0, 0, 0, undefined]);
        expect(buckets.length).toBeLessThanOrEqual(size ?? 60);
        const from = start_time === undefined ? start : Math.floor(start_time / 60) * 60;
        const to = end_time === undefined ? end : Math.floor(end_time / 60) * 60 + 60;
        expect([from - start, start + step - from].every((distance) => distance >= 0)).toBe(true);
        if (to > from) expect(to).toBeLessThanOrEqual(end);
        // Without a search, the minutes of the span decide, which begin before it and end after it.
        expect(buckets).toEqual(bucketsOf(find(isSearch(ask) ? ask : timeless), { start, end, step, from, to }));
      }),
      { numRuns: atMost(3, 100) },
    );
  });

  it('are listed by any filter in any order, before the index knows their texts and after', async () => {
    const property = fc.asyncProperty(filters, paging, optional(SORTS), (filter, page, sort) =>
      compareList({ ...filter, ...page, ...(sort === undefined ? {} : { sort }) }),
    );
    await fc.assert(property, { numRuns: atMost(3, 80) });
    const { db } = api.server.deps;
    await updateSearchIndex(db, () => false, 0);
    const stale = await db.read.prisma.errlog.count({ where: { textStale: true } });
    expect(stale).toBe(0);
    await fc.assert(property, { numRuns: atMost(6, 120) });
  });

  it('are listed in every order by each filter alone, page after page', async () => {
    const [row] = rows as [Row];
    const alone: Query[] = [
      {},
      { level: 4 },
      { level_max: 3 },
      { app_id: 8 },
      { node_id: 2 },
      { req_id: 777 },
      { q: 'failed after 1' },
      { q: row.log.slice(0, 6) },
      { service: 'cron' },
      { end_time: FIRST + 3 * DAY_S + 45 },
      { start_time: FIRST, end_time: FIRST + 3, detail: 1 },
      { fingerprint: row.fingerprint },
      { state: 'regressed' },
      { state: 'muted,resolved' },
      { state: 'new,ongoing' },
      { state: ERRLOG_STATES.join() },
      { start_time: FIRST + DAY_S, end_time: LAST },
    ];
    for (const [i, sort] of ERRLOG_SORTS.entries()) {
      for (const filter of everyThird(alone, i)) {
        const { length } = find(filter);
        for (const start of IS_THOROUGH ? [0, 7, length - 3, length] : [Math.max(0, length - 3)]) {
          if (start >= 0) await compareList({ ...filter, sort, start, end: start + 5 });
        }
      }
    }
  });

  it.each(nonEmpty(FILTER_TEXTS))('are listed by %s', async (filter) => {
    await compareList({ filter, sort: '-count', start: 7, end: 12, detail: 1 });
    await compareRollup({ filter, detail: 1, page_size: 10_000 });
  });

  it('are rolled up over their sources', async () => {
    await fc.assert(
      fc.asyncProperty(filters, paging, (filter, page) => compareRollup({ ...filter, ...page })),
      { numRuns: atMost(3, 80) },
    );
    const all = await api.admin.errlog.list({ query: { rollup: true, detail: 1, page_size: 10_000 } });
    const wanted = new Map(rolledUp(rows, {}).map(({ id, sources }) => [id, sources]));
    for (const { id, sources } of all.data) expect(sources).toBe(wanted.get(id));
    for (const sort of ERRLOG_SORTS.filter((name) => name !== '-log_time' && !name.endsWith('count'))) {
      const refused = api.admin.errlog.list({ query: { rollup: true, sort } });
      await expect(refused).rejects.toMatchObject({ status: 400, fields: [{ path: 'query.sort' }] });
    }
  });

  it('have facets', async () => {
    const tops = optional(fc.constantFrom(1, 2, 3, 10, 1_000));
    await fc.assert(
      fc.asyncProperty(filters, tops, async (filter, top) => {
        const query = { ...filter, ...(top === undefined ? {} : { top }) };
        const { meta, ...facets } = await api.admin.errlog.facets({ query });
        expect(facets).toEqual(facetsOf(find(filter), top ?? 10));
        expect(meta.complete).toBe(true);
        expect(meta.why_empty !== undefined).toBe(facets.levels.length === 0 && hasSpan(query));
      }),
      { numRuns: atMost(3, 100) },
    );
  });

  it('are sent live by the same filters', async () => {
    const entries: ErrlogEntry[] = (await api.admin.errlog.list({ query: { page_size: 10_000, detail: 1 } })).data;
    await fc.assert(
      fc.asyncProperty(
        filters,
        async ({ req_id: _, start_time: __, end_time: ___, filter: ____, state, ...others }) => {
          const { q = '', ...query } = { ...others, ...(state === undefined ? {} : { state }) };
          // An event has the newest text alone.
          const listed = (await api.admin.errlog.list({ query: { ...query, page_size: 10_000 } })).data;
          const data = listed.filter(({ log }) => lowerAscii(log).includes(lowerAscii(q)));
          const read = { ...others, state: state?.split(',') as ErrlogEntry['state'][] | undefined };
          const live = entries.filter((entry) => matchesErrlog(entry, read as Parameters<typeof matchesErrlog>[1]));
          expect(live.map(({ id }) => id)).toEqual(data.map(({ id }) => id));
        },
      ),
      { numRuns: atMost(4, 50) },
    );
  });
});
