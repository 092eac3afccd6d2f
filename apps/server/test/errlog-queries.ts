// Random queries of the error list, for the tests that compare the server with errlog-model.ts.
import fc from 'fast-check';
import { APPS, DAY_S, FILTER_TEXTS, FIRST, LAST, NODES, type Query, REQ_IDS, type Row } from './errlog-model.ts';

/** Absent half the time (a `freq` of 1 would be always). */
export const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
export const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, { arbitrary, weight: 1 });

export const times = fc.oneof(
  fc.integer({ min: FIRST - 10, max: LAST + 10 }),
  fc.constantFrom(FIRST, FIRST + 1, FIRST + 4, FIRST + 3 * DAY_S + 45, LAST - 2, LAST),
);

export const paging: fc.Arbitrary<Query> = fc.oneof(
  fc.record({
    page: optional(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(900, 2_147_483_647))),
    page_size: optional(fc.oneof(fc.constantFrom(0, 1, 3, 20, 499, 500, 501, 10_000), fc.nat(700))),
    detail: optional(fc.constantFrom(0, 1)),
  }),
  fc.record({ start: optional(fc.nat(1_700)), end: optional(fc.nat(1_700)), detail: fc.constant(1) }),
);

/** Any filter that scopes can express, and those about applications, requests and times. */
export const filtersOf = (rows: readonly Row[]): fc.Arbitrary<Query> =>
  fc.record({
    level: seldom(fc.nat(8)),
    level_max: seldom(fc.nat(8)),
    node_type: seldom(fc.nat(2)),
    node_id: seldom(fc.constantFrom(...NODES, 99)),
    src: seldom(fc.constantFrom(...new Set(rows.map(({ src }) => src)), 999_999)),
    app_id: seldom(fc.constantFrom(...APPS, 99)),
    service: seldom(fc.constantFrom('nginx', 'cron', 'nobody')),
    req_id: seldom(fc.constantFrom(...REQ_IDS, 'nobody has this')),
    start_time: seldom(times),
    end_time: seldom(times),
    filter: seldom(fc.constantFrom(...FILTER_TEXTS)),
  });
