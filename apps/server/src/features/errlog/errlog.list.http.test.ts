// The list against a model: every filter and page over some months of errors has to be what filtering and sorting an array
// by hand gives.
import type { ErrlogEntry, ErrlogLine } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTrueRank } from '../../../test/errlog-rank.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const DAY_S = 86_400;
const FIRST = 1_750_000_000;
const LAST = FIRST + 120 * DAY_S;
const GROUPS = 1_600;
const APPS = [0, 7, 8, 9];
const NODES = [1, 2, 3];
const REQ_IDS = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb', '777', 'x y&z=%'];

/** What the server alone can say of a group. */
type Told = 'id' | 'src' | 'fingerprint' | 'state_since';
/** A group as `detail=1` shows it, and the request ids it happened with. */
type Row = Required<Omit<ErrlogEntry, 'sources'>> & { readonly reqIds: Set<string> };
type Modelled = Omit<Row, Told>;

interface Sender {
  readonly name: string;
  readonly client: Client;
}

/** What the lines of a group have in common. */
interface Shape {
  readonly sender: Sender;
  readonly name: string;
  readonly level: number;
  readonly appId: number;
  readonly nodeType: number;
  readonly nodeId: number | null;
}

let api: TestApi;
/** What the server has to show, in its order. */
let rows: Row[];
beforeAll(async () => {
  api = await startApi();
  rows = await fill();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Numbers below one, the same ones each time. */
let state = 7080;
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return state / 2_147_483_648;
}
const int = (below: number) => Math.floor(random() * below);
const pick = <T>(list: readonly T[]): T => list[int(list.length)] as T;

/** Many in the same second, the same minute, and some alone in their week. */
const time = () =>
  pick([
    FIRST + int(5),
    FIRST + 3 * DAY_S + int(90),
    FIRST + int(LAST - FIRST),
    FIRST + int(LAST - FIRST),
    LAST - int(3),
  ]);

/** Sends every group once, then some again: earlier, later and in the same second. Returns the model of it. */
async function fill(): Promise<Row[]> {
  const agents = [await api.agent(), await api.agent()];
  const senders: Sender[] = [
    { name: 'api', client: api.admin },
    ...agents.map(({ id, client }) => ({ name: `agent ${id}`, client })),
  ];
  const shapes = Array.from(
    { length: GROUPS },
    (): Shape => ({
      sender: pick(senders),
      name: word(),
      level: int(9),
      appId: pick(APPS),
      nodeType: int(3),
      nodeId: pick([null, ...NODES]),
    }),
  );
  const model = new Map<Shape, Modelled>();
  for (const share of [1, 1 / 3, 1 / 5]) {
    const batches = new Map<Sender, ErrlogLine[]>();
    for (const shape of shapes) {
      if (random() >= share) continue;
      const batch = batches.get(shape.sender) ?? [];
      batches.set(shape.sender, batch);
      batch.push(happen(model, shape));
    }
    for (const [{ client }, body] of batches) await client.errlog.append({ body });
  }
  return withIds([...model.values()]);
}

/** One more occurrence: the line to send, and what it does to the model. */
function happen(model: Map<Shape, Modelled>, shape: Shape): ErrlogLine {
  const { sender, name, level, appId: app_id, nodeType: node_type, nodeId: node_id } = shape;
  const log_time = time();
  const log = `${name} failed after ${int(1e6)} ms`;
  const count = random() < 0.3 ? 1 + int(50) : 1;
  const req_id = random() < 0.3 ? pick(REQ_IDS) : null;
  const before = model.get(shape);
  const isLatest = before === undefined || log_time >= before.log_time;
  const reqIds = before?.reqIds ?? new Set();
  if (req_id !== null) reqIds.add(req_id);
  model.set(shape, {
    ...{
      level,
      state: 'new',
      until: '',
      until_time: 0,
      note: '',
      app_id,
      node_type,
      node_id,
      source: sender.name,
      reqIds,
    },
    count: (before?.count ?? 0) + count,
    first_seen: Math.min(before?.first_seen ?? log_time, log_time),
    log_time: isLatest ? log_time : before.log_time,
    log: isLatest ? log : before.log,
  });
  return { level, log, log_time, app_id, node_type, node_id, req_id, count };
}

const identity = ({ log, level, app_id, source, node_type, node_id }: Partial<ErrlogEntry>) =>
  [log, level, app_id, source, node_type, node_id].join();

/** Ids are the server's to choose; everything else is the model's. */
async function withIds(model: Modelled[]): Promise<Row[]> {
  const { data, meta } = await api.admin.errlog.list({ query: { page_size: 10_000, detail: 1 } });
  expect(meta.count).toBe(model.length);
  const shown = new Map(data.map((entry) => [identity(entry), entry]));
  const known = model.map((row) => {
    const { id = 0, src = 0, fingerprint = '', state_since = 0 } = shown.get(identity(row)) ?? {};
    return { ...row, id, src, fingerprint, state_since };
  });
  known.sort((a, b) => b.log_time - a.log_time || b.id - a.id);
  expect(data).toEqual(known.map(({ reqIds: _, ...entry }) => entry));
  return known;
}

type Query = NonNullable<NonNullable<Parameters<Client['errlog']['list']>[0]>['query']>;

function matches(row: Row, query: Query): boolean {
  const is = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  return (
    is(query.level, row.level) &&
    row.level <= (query.level_max ?? 8) &&
    is(query.node_type, row.node_type) &&
    is(query.node_id, row.node_id) &&
    is(query.app_id, row.app_id) &&
    is(query.src, row.src) &&
    (query.req_id === undefined || row.reqIds.has(String(query.req_id))) &&
    row.log_time >= (query.start_time ?? 0) &&
    row.log_time <= (query.end_time ?? Number.MAX_SAFE_INTEGER)
  );
}

function pageOf(list: readonly Row[], { page = 1, page_size = 20, start, end }: Query): readonly Row[] {
  if (start === undefined && end === undefined) return list.slice((page - 1) * page_size, page * page_size);
  const from = start ?? 0;
  return list.slice(from, Math.max(from, end ?? from + page_size));
}

/** Asks the server and the model. */
async function compare(query: Query): Promise<void> {
  const wanted = rows.filter((row) => matches(row, query));
  const { data, meta } = await api.admin.errlog.list({ query });
  expect(meta.count).toBe(wanted.length);
  const page = pageOf(wanted, query).map(({ id, level, count, src, log_time, log, reqIds: _, ...more }) => {
    const entry = { id, level, count, src, log_time, log };
    return query.detail === 1 ? { ...entry, ...more } : entry;
  });
  expect(data.map(({ id }) => id)).toEqual(page.map(({ id }) => id));
  expect(data).toEqual(page);
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, { arbitrary, weight: 1 });

const times = fc.oneof(
  fc.integer({ min: FIRST - 10, max: LAST + 10 }),
  fc.constantFrom(FIRST, FIRST + 1, FIRST + 4, FIRST + 3 * DAY_S + 45, LAST - 2, LAST),
);

const paging: fc.Arbitrary<Query> = fc.oneof(
  fc.record({
    page: optional(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(900, 2_147_483_647))),
    page_size: optional(fc.oneof(fc.constantFrom(0, 1, 3, 20, 499, 500, 501, 10_000), fc.nat(700))),
    detail: optional(fc.constantFrom(0, 1)),
  }),
  fc.record({ start: optional(fc.nat(1_700)), end: optional(fc.nat(1_700)), detail: fc.constant(1) }),
);

describe('GET /admin-api/log_server/errlog over months of errors', () => {
  it('equals the model for any filter and any page', async () => {
    const sources = [...new Set(rows.map(({ src }) => src))];
    const filter = fc.record({
      level: seldom(fc.nat(8)),
      level_max: seldom(fc.nat(8)),
      node_type: seldom(fc.nat(2)),
      node_id: seldom(fc.constantFrom(...NODES, 99)),
      src: seldom(fc.constantFrom(...sources, 999_999)),
      app_id: seldom(fc.constantFrom(...APPS, 99)),
      req_id: seldom(fc.constantFrom(...REQ_IDS, 'nobody has this')),
      start_time: seldom(times),
      end_time: seldom(times),
    });
    await fc.assert(
      fc.asyncProperty(filter, paging, (narrowed, page) => compare({ ...narrowed, ...page })),
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
    ]) {
      const { length } = rows.filter((row) => matches(row, filter));
      // Around the border between what is skipped and what is located, and around the end.
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

  it('keeps errlog_rank equal to what there is, whatever is appended', async () => {
    const { db } = api.server.deps;
    await expectTrueRank(db);
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
        await expectTrueRank(db);
      }),
      { numRuns: 12 },
    );
  });
});
