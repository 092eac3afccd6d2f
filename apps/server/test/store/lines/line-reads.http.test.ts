// Reads of lines against a plain array: both databases, segments of both kinds, gaps in the ids, late lines.
import { LEVELS } from '@quarterdeck/core';
import { openThreadReader } from '@quarterdeck/core/db';
import { compileFilter, loadExpressions, parseFilter } from '@quarterdeck/core/filter';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Line, LinePage, LineQuery, LineReads } from '../../../../../packages/store/src/lines/line-reads.ts';
import { readLines } from '../../../../../packages/store/src/lines/read-lines.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { openLines } from '../../line-engine.ts';
import { openStore, type TestStore } from '../../open-store.ts';
import { DIALECT } from '../../start-api.ts';
import {
  addGroups,
  batches,
  type ModelLine,
  NOW_S,
  queries,
  removeLines,
  SOME_GROUP,
  storeLines,
} from '../../stored-lines.ts';

let store: TestStore;
let reads: LineReads;

beforeAll(async () => {
  await loadExpressions();
  store = await openStore();
  await addGroups(store.db);
  const log = pino({ level: 'silent' });
  ({ reads } = openLines({ db: store.db, log, now: () => NOW_S * 1000, maxBytes: 0, noteDamage: () => {} }));
});
afterAll(async () => {
  await reads.close();
  await store[Symbol.asyncDispose]();
});

/** Removes all lines. Returns the model of none. */
async function startAnew(): Promise<ModelLine[]> {
  await removeLines(store.db);
  expect((await reads.page({}, { limit: 1 }, 'walker')).data).toEqual([]);
  return [];
}

/** The lines of a query, the newest first. */
function expected(model: readonly ModelLine[], query: LineQuery): ModelLine[] {
  const { filter = { kind: 'all' }, q, startTime, endTime, level, levelMax, src, appId, reqId } = query;
  const { nodeType, nodeId, groups, service, host } = query;
  const test = compileFilter(filter, NOW_S);
  const contains = compileFilter({ kind: 'text', text: q ?? '' }, NOW_S);
  const is = (asked: unknown, value: unknown) => asked === undefined || asked === value;
  return model
    .filter((line) => {
      const filterable = { ...line, fields: () => line.fields };
      return (
        test(filterable) &&
        contains(filterable) &&
        line.time >= (startTime ?? 0) &&
        line.time <= (endTime ?? Infinity) &&
        is(level, line.level) &&
        line.level <= (levelMax ?? 9) &&
        is(src, line.src) &&
        is(appId, line.app_id) &&
        is(reqId, line.req_id) &&
        is(nodeType, line.node.type) &&
        is(nodeId, line.node.id) &&
        (groups === undefined || groups.includes(line.group)) &&
        is(service, line.service) &&
        is(host, line.host)
      );
    })
    .sort((a, b) => b.time - a.time || Number(b.id) - Number(a.id));
}

const onWire = ({ state: _, node: __, ...line }: ModelLine): Line => line;
const ids = (lines: readonly { readonly id: string }[]) => lines.map(({ id }) => id);

/** All pages from a cursor on, in the order in which they come. */
async function walk(query: LineQuery, limit: number, name: 'before' | 'after', from?: string): Promise<Line[][]> {
  const pages: Line[][] = [];
  for (let cursor: string | null | undefined = from; cursor !== null; ) {
    const { data, meta } = await reads.page(query, { limit, [name]: cursor }, 'walker');
    expect(data.length).toBeLessThanOrEqual(limit);
    pages.push(data);
    cursor = meta[name];
  }
  return pages;
}

/** Checks a property of random lines and queries. */
async function check(property: (model: ModelLine[], query: LineQuery, seed: number) => Promise<void>): Promise<void> {
  const { db } = store;
  await fc.assert(
    fc.asyncProperty(
      batches,
      fc.array(queries, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      async (stored, list, seed) => {
        const model = await startAnew();
        await storeLines(db, stored, model);
        for (const query of list) await property(model, query, seed);
      },
    ),
    { numRuns: atMost(2, 80) },
  );
}

describe('reads of lines', () => {
  it('page through every matching line once, in order, in both directions', async () => {
    await check(async (model, query, seed) => {
      const limit = 1 + (seed % 7);
      const lines = expected(model, query).map(onWire);
      const down = await walk(query, limit, 'before');
      expect(down.flat()).toEqual(lines);
      const last = lines.at(-1);
      if (last === undefined || lines.length <= limit) return;
      const first = await reads.page(query, { limit }, 'walker');
      const second = await reads.page(query, { limit, before: first.meta.before ?? '' }, 'walker');
      const up = await walk(query, limit, 'after', second.meta.after ?? '');
      expect(ids(up.reverse().flat())).toEqual(ids(lines.slice(0, limit)));
    });
  });

  it('count by time, by group and by value', async () => {
    const names = ['level', 'host', 'service', 'src', 'app', 'group', 'state', 'req', 'client', 'pid', 'x', 'request'];
    await check(async (model, query, seed) => {
      const lines = expected(model, query);
      const start = NOW_S - 13_000;
      const span = { start, end: NOW_S, step: 60 * (1 + (seed % 50)) };
      const histogram = await reads.histogram(query, span, 'counter');
      const sums = (of: readonly ModelLine[]) => of.reduce((sum, { count }) => sum + count, 0);
      for (const { time, count, levels } of histogram.buckets) {
        const own = lines.filter((line) => line.time >= time && line.time < time + span.step);
        expect(count).toBe(sums(own.filter((line) => line.time < NOW_S)));
        expect(levels.reduce((a, b) => a + b, 0)).toBe(count);
      }
      const { groups } = await reads.groups(query, 100, 'counter');
      const found = await reads.groupIds(query, 100, 'counter');
      expect([found.ids.sort((x, y) => x - y), found.complete]).toEqual([
        groups.map(({ id }) => id).sort((x, y) => x - y),
        true,
      ]);
      if (groups.length > 1) {
        const some = await reads.groupIds(query, groups.length - 1, 'counter');
        expect([some.ids.length, some.complete]).toEqual([groups.length - 1, false]);
      }
      const byGroup = [...Map.groupBy(lines, ({ group }) => group)].map(([id, own]) => ({
        id,
        count: sums(own),
        last: own[0]?.time,
      }));
      expect(groups).toEqual(byGroup.sort((a, b) => (b.last ?? 0) - (a.last ?? 0) || b.id - a.id));
      const newest = await reads.newestOf(
        groups.map(({ id }) => id),
        query,
        'counter',
      );
      expect([...newest.values()].map(({ id }) => id).sort()).toEqual(
        byGroup.map(({ id }) => lines.find(({ group }) => group === id)?.id).sort(),
      );
      const name = names[seed % names.length] ?? '';
      const { values, other, distinct } = await reads.values(query, name, 3, 'counter');
      const counts = [...Map.groupBy(lines, (line) => fieldOf(line, name))]
        .filter(([value]) => value !== '')
        .map(([value, own]) => ({ value, count: sums(own) }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
      expect({ values, other, distinct }).toEqual({
        values: counts.slice(0, 3),
        other: counts.slice(3).reduce((sum, { count }) => sum + count, 0),
        distinct: counts.length,
      });
    });
  });

  it('find single lines, their surroundings, the occurrences of a group, and the lines that arrived since', async () => {
    await check(async (model, query, seed) => {
      const line = model[seed % Math.max(1, model.length)];
      expect(await reads.lastId()).toBe(model.at(-1)?.id ?? '0');
      expect(await reads.line(String(Number(model.at(-1)?.id ?? 0) + 1))).toBeUndefined();
      if (line === undefined) return;
      expect(await reads.line(line.id)).toEqual(onWire(line));
      const [before, after] = [seed % 3, seed % 4];
      for (const [same, around] of [
        [undefined, { host: line.host, service: line.service }],
        ['source', { src: line.src }],
        ['service', { service: line.service }],
        ['request', { reqId: line.req_id }],
      ] as const) {
        const all = expected(model, around).reverse();
        const at = all.findIndex(({ id }) => id === line.id);
        const wanted =
          same === 'request' && line.req_id === '' ? [line] : all.slice(Math.max(0, at - before), at + after + 1);
        const found = await reads.context(line.id, { before, after, same });
        expect(ids(found?.data ?? [])).toEqual(ids(wanted));
      }
      const own = model.filter(({ group }) => group === line.group).reverse();
      const slice = { offset: seed % 3, limit: 1 + (seed % 4) };
      const occurrences = await reads.occurrences(line.group, slice);
      expect(occurrences.meta.count).toBe(own.length);
      expect(occurrences.data).toEqual(
        own
          .slice(slice.offset, slice.offset + slice.limit)
          .map(({ time, count, req_id, app_id, log, fields }) => ({ time, count, req_id, app_id, log, fields })),
      );
      const arrived: Line[] = [];
      for (let from = line.id; ; ) {
        const { data, last, atEnd } = await reads.newerThan(from, 3, query);
        arrived.push(...data);
        from = last;
        if (atEnd) break;
      }
      const matching = new Set(ids(expected(model, query)));
      const since = model.filter(({ id }) => Number(id) > Number(line.id) && matching.has(id));
      expect(ids(arrived)).toEqual(ids(since));
    });
  });

  it('neither repeat nor miss a line of before while others arrive', async () => {
    const { db } = store;
    await fc.assert(
      fc.asyncProperty(batches, batches, async (stored, arriving) => {
        const model = await startAnew();
        await storeLines(db, stored, model);
        const before = new Set(ids(model));
        const seen: string[] = [];
        let pages = 0;
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const { data, meta } = await reads.page({}, { limit: 3, before: cursor }, 'walker');
          seen.push(...ids(data));
          await storeLines(db, arriving.slice(pages, pages + 1), model);
          pages += 1;
          cursor = meta.before;
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => before.has(id)).sort()).toEqual([...before].sort());
      }),
      { numRuns: atMost(2, 60) },
    );
  });

  it('come to their end by cursors however little time each search has', async () => {
    const reader = await openThreadReader(store.db.readerSettings);
    await check(async (model, query, seed) => {
      const seen: Line[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        // The clock says so after a few looks.
        let looks = seed % 4;
        const budget = {
          get isOver() {
            looks -= 1;
            return looks < 0;
          },
        };
        const read = { kind: 'page', query, slice: { limit: 2, before: cursor } } as const;
        const page = await reader.snapshot((sql) => readLines({ sql, dialect: DIALECT, budget, nowS: NOW_S }, read));
        const { data, meta } = page.value as LinePage;
        seen.push(...data);
        if (!meta.complete) expect(meta.before).not.toBeNull();
        cursor = meta.before;
      }
      expect(ids(seen).sort()).toEqual(ids(expected(model, query)).sort());
    });
    await reader.close();
  });

  it('test long lines by hostile expressions in time, and go on where a segment needs too much of it', async () => {
    const { db } = store;
    const model = await startAnew();
    const group = SOME_GROUP;
    const long = `${'a'.repeat(5_000)}!`;
    const lines = Array.from({ length: 300 }, (_, i) => ({
      group,
      gap: 0,
      late: i * 10,
      count: 1,
      reqId: '',
      fields: undefined,
      log: i % 10 === 0 ? `${i} b` : long,
    }));
    await storeLines(db, [{ kind: 'packed', lines }], model);
    const page = await reads.page({ filter: parseFilter('/(a+)+$/') }, { limit: 10 }, 'hostile');
    expect(page).toMatchObject({ data: [], meta: { complete: true, before: null, scanned: 300 } });
    const reader = await openThreadReader(db.readerSettings);
    const found: string[] = [];
    let rounds = 0;
    for (let cursor: string | null | undefined; cursor !== null; rounds += 1) {
      const query = { filter: parseFilter('-aaa') };
      const read = { kind: 'page', query, slice: { limit: 100, before: cursor } } as const;
      const over = { isOver: true };
      const { value } = await reader.snapshot((sql) =>
        readLines({ sql, dialect: DIALECT, budget: over, nowS: NOW_S }, read),
      );
      const { data, meta } = value as LinePage;
      found.push(...ids(data));
      cursor = meta.before;
    }
    await reader.close();
    expect(rounds).toBeGreaterThan(3);
    expect(found.sort()).toEqual(ids(model.filter(({ log }) => log !== long)).sort());
  });
});

function fieldOf(line: ModelLine, name: string): string {
  switch (name) {
    case 'level':
      return (LEVELS[line.level] ?? '').toLowerCase();
    case 'host':
    case 'service':
    case 'state':
      return line[name];
    case 'src':
    case 'group':
      return String(line[name]);
    case 'app':
      return line.app_id === 0 ? '' : String(line.app_id);
    case 'req':
      return line.req_id;
    default:
      return Object.hasOwn(line.fields, name) ? (line.fields[name] ?? '') : '';
  }
}
