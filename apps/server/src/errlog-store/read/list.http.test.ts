// The list against a model: every filter and page over some months of errors equals filtering and sorting an array by
// hand.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { fillErrlog } from '../../../test/errlog-fill.ts';
import {
  DAY_S,
  FIRST,
  inOrder,
  LAST,
  matches,
  pageOf,
  type Query,
  type Row,
  shownBy,
} from '../../../test/errlog-model.ts';
import { filtersOf, optional, paging } from '../../../test/errlog-queries.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

let api: TestApi;
/** Groups that the server shows, in its order. */
let rows: Row[];
beforeAll(async () => {
  api = await startApi();
  rows = await fillErrlog(api);
});
afterAll(() => api[Symbol.asyncDispose]());

/** Asks the server and the model. */
async function compare(query: Query): Promise<void> {
  const wanted = inOrder(
    rows.filter((row) => matches(row, query)),
    query,
  );
  const { data, meta } = await api.admin.errlog.list({ query });
  expect(meta.count).toBe(wanted.length);
  const page = shownBy(pageOf(wanted, query), query);
  expect(data.map(({ id }) => id)).toEqual(page.map(({ id }) => id));
  expect(data).toEqual(page);
}

describe('GET /admin-api/log_server/errlog over months of errors', () => {
  it('equals the model for any filter and any page', async () => {
    await fc.assert(
      fc.asyncProperty(filtersOf(rows), paging, (narrowed, page) => compare({ ...narrowed, ...page })),
      { numRuns: 250 },
    );
  });

  it('equals the model for each filter alone, deep down', async () => {
    const [source] = rows.map(({ src }) => src);
    for (const filter of [
      {},
      { level: 4 },
      { level_max: 8 },
      { level_max: 4 },
      { level: 4, level_max: 3 },
      { level: 3, level_max: 4 },
      { node_type: 1 },
      { node_id: 2 },
      { node_type: 2, node_id: 3 },
      { node_type: 0, level_max: 5 },
      { src: source },
      { app_id: 8 },
      { req_id: 777 },
      { start_time: FIRST + DAY_S },
      { end_time: LAST - DAY_S },
      { service: 'nginx' },
    ]) {
      const { length } = rows.filter((row) => matches(row, filter));
      // Around the border of what is skipped in the index alone, and around the end.
      for (const start of [0, 1, 499, 500, 501, 502, 800, length - 2, length - 1, length, length + 1]) {
        if (start >= 0) await compare({ ...filter, start, end: start + 3 });
      }
    }
  });

  it('goes on from page to page without a gap and without a repeat', async () => {
    const ids = rows.map(({ id }) => id);
    for (const page_size of [97, 501, 1_600]) {
      const seen: number[] = [];
      for (let page = 1; seen.length < ids.length; page += 1) {
        const { data } = await api.admin.errlog.list({ query: { page, page_size } });
        expect(data.length).toBeGreaterThan(0);
        seen.push(...data.map(({ id }) => id));
      }
      expect(seen).toEqual(ids);
    }
  });

  it('keeps the numbers of groups true, whatever is appended', async () => {
    const { db } = api.server.deps;
    await expectTrueCounters(db);
    const names = Array.from({ length: 6 }, word);
    const line = fc.record({
      log: fc.constantFrom(...names),
      level: fc.nat(3),
      log_time: fc.oneof(fc.nat(200), fc.nat(100_000), fc.nat(FIRST)),
      node_id: optional(fc.constantFrom(71, 72)),
    });
    const batch = fc.array(line, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(batch, async (body) => {
        await api.admin.errlog.append({ body });
        await expectTrueCounters(db);
      }),
      { numRuns: 12 },
    );
  });
});
