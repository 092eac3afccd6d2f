// A database of the version before groups had states and occurrences were packed: what was in it is still there.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeOldDatabase } from '../../../packages/core/test/old-database.ts';
import { createLineReads } from '../src/errlog-store/lines/create-line-reads.ts';
import { fingerprint } from '../src/fingerprint/fingerprint.ts';
import { expectTrueCounters } from './errlog-counters.ts';
import { newPlace, type Place, startApi, type TestApi } from './start-api.ts';
import { word } from './word.ts';

const HOUR_S = 3_600;
/** Not so long ago that minutes become hours. */
const FIRST = Math.floor(Date.now() / 60_000) * 60 - 3 * HOUR_S;
const SOURCES = [
  { nodeType: 0, nodeId: -1, name: 'api' },
  { nodeType: 2, nodeId: 7, name: 'agent 3' },
];
const TEXTS = [
  'plain',
  'quotes \' and " and `',
  'backslashes \\ \\n \\u0041 \\\\',
  'tab \t and line\nbreak',
  'emoji \u{1f600} and \u{10ffff}',
  'controls \u0001 \u001f \u007f \u0085',
  'percent % and under_score',
  '[1, "json", null]',
  `long ${'\u00fc'.repeat(4_000)}`,
];
/** The borders between magnitudes, among others. */
const COUNTS = [
  1,
  2,
  7,
  8,
  9,
  15,
  16,
  17,
  31,
  32,
  64,
  127,
  128,
  1_000,
  4_096,
  65_536,
  2 ** 20 - 1,
  2 ** 20,
  999_999_999,
];

interface OldEvent {
  readonly time: number;
  readonly reqId: string;
  readonly count: number;
  readonly log: string;
}

interface OldGroup {
  readonly src: number;
  readonly appId: number;
  readonly level: number;
  readonly name: string;
  readonly events: readonly OldEvent[];
}

const lastOf = <T>(list: readonly T[]): T => list.at(-1) as T;

/** Each text once; then, on both sources, each count as one occurrence with others around it. */
const groups: OldGroup[] = [...TEXTS, ...COUNTS, ...COUNTS].map((kind, i) => {
  const name = i < TEXTS.length + COUNTS.length ? word() : `twin ${word()}`;
  const log = typeof kind === 'string' ? kind : 'of many';
  const count = typeof kind === 'string' ? 1 : kind;
  const others = typeof kind === 'string' ? 5 : 0;
  const event = (n: number, times: number): OldEvent => ({
    time: FIRST + i * 77 + n * 41,
    reqId: n % 3 === 0 ? `req '${n}'` : '',
    count: times,
    log: `${name} ${log} ${n}`,
  });
  const events = [...Array.from({ length: others }, (_, n) => event(n, n + 1)), event(others, count)];
  return { src: 1 + (i % 2), appId: i % 3, level: i % 9, name, events };
});
// The same error on both sources.
groups.push({ ...(groups[0] as OldGroup), src: 2 });

const countOf = ({ events }: OldGroup) => events.reduce((sum, { count }) => sum + count, 0);

function script(): string {
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const rows = (table: string, columns: string, values: readonly (readonly (string | number)[])[]) =>
    `INSERT INTO ${table} (${columns}) VALUES ${values.map((row) => `(${row.join()})`).join()};`;
  const rank = new Map<string, number>();
  for (const { src, level, events } of groups) {
    for (const [height, width] of [64, 4_096, 262_144, Number.POSITIVE_INFINITY].entries()) {
      const bucket = Math.floor(lastOf(events).time / width);
      for (const scope of ['-1,-1', `-1,${level}`, `${src},${level}`]) {
        const key = `${height},${scope},${bucket}`;
        rank.set(key, (rank.get(key) ?? 0) + 1);
      }
    }
  }
  return [
    rows(
      'source',
      'node_type, node_id, name, address, created_ms',
      SOURCES.map(({ nodeType, nodeId, name }) => [nodeType, nodeId, text(name), "'192.0.2.1'", FIRST * 1_000]),
    ),
    rows(
      'errlog',
      'src, node_type, app_id, level, fingerprint, log, count, first_seen, log_time',
      groups.map((group) => {
        const { src, appId, level, events } = group;
        const { log, time } = lastOf(events);
        const { nodeType = 0 } = SOURCES[src - 1] ?? {};
        const print = text(fingerprint(log));
        return [src, nodeType, appId, level, print, text(log), countOf(group), events[0]?.time ?? 0, time];
      }),
    ),
    rows(
      'errlog_event',
      'errlog_id, time, req_id, count, log',
      groups.flatMap(({ events }, i) =>
        events.map(({ time, reqId, count, log }) => [i + 1, time, text(reqId), count, text(log)]),
      ),
    ),
    rows(
      'errlog_rank',
      'height, src, level, bucket, n',
      [...rank].map(([key, n]) => [key, n]),
    ),
  ].join('\n');
}

let place: Place;
let api: TestApi;
beforeAll(async () => {
  place = await newPlace('empty');
  const { DATA_DIR: dataDir = '', DATABASE_URL: url = '' } = place.sharing;
  await makeOldDatabase(url === '' ? { kind: 'sqlite', dataDir } : { kind: 'postgresql', url }, 'identity', script());
  api = await startApi({ ...place.sharing, ERRLOG_DAYS: '0', OCCURRENCE_DAYS: '0' });
  await api.server.jobs.runAll();
});
afterAll(async () => {
  await api?.[Symbol.asyncDispose]();
  await place?.[Symbol.asyncDispose]();
});

describe('a database of the version before', () => {
  it('says that lines are missing until they are converted', async () => {
    expect((await api.admin.line.list({ query: {} })).meta.complete).toBe(true);
    const { db } = api.server.deps;
    await api.server.jobs.stop();
    // The jobs may have converted the chunks before the first request: this one stays as long as it must.
    const chunk = { errlogId: 1, fromTime: FIRST, toTime: FIRST, n: 1, data: '' };
    await db.write((tx) => tx.prisma.errlogChunk.create({ data: chunk }));
    const reads = createLineReads({ db, log: pino({ level: 'silent' }), now: api.now });
    expect((await reads.page({}, { limit: 1 }, 'caller')).meta.complete).toBe(false);
    await db.write((tx) => tx.prisma.errlogChunk.deleteMany());
    expect((await reads.page({}, { limit: 1 }, 'caller')).meta.complete).toBe(true);
    await reads.close();
  });

  it('has all its groups, as they were', async () => {
    const { data, meta } = await api.admin.errlog.list({ query: { page_size: 1_000, detail: 1 } });
    expect(meta.count).toBe(groups.length);
    const shown = new Map(data.map((entry) => [entry.id, entry]));
    for (const [i, group] of groups.entries()) {
      const { src, appId, level, events } = group;
      const { nodeType, nodeId, name } = SOURCES[src - 1] as (typeof SOURCES)[number];
      const first_seen = events[0]?.time;
      expect(shown.get(i + 1)).toEqual({
        id: i + 1,
        level,
        count: countOf(group),
        src,
        log_time: lastOf(events).time,
        log: lastOf(events).log,
        first_seen,
        state: 'ongoing',
        state_since: first_seen,
        until: '',
        until_time: 0,
        note: '',
        app_id: appId,
        node_type: nodeType,
        node_id: nodeId === -1 ? null : nodeId,
        source: name,
        host: name,
        service: '',
        fingerprint: fingerprint(lastOf(events).log),
      });
    }
  });

  it('lists what happened in a span, also of groups that happened again since', async () => {
    for (const { src, events } of groups) {
      const minute = Math.floor((events[0]?.time ?? 0) / 60) * 60;
      const query = { start_time: minute, end_time: minute + 59, src, detail: 1, page_size: 1_000 };
      const { data } = await api.admin.errlog.list({ query });
      const inSpan = ({ time }: { readonly time: number }) => time >= minute && time < minute + 60;
      const wanted = groups.filter((group) => group.src === src && group.events.some(inSpan));
      expect(data.map(({ log }) => log).sort()).toEqual(wanted.map((group) => lastOf(group.events).log).sort());
      const sum = wanted.flatMap((group) => group.events.filter(inSpan)).reduce((n, { count }) => n + count, 0);
      expect(data.reduce((n, { count_in_range = 0 }) => n + count_in_range, 0)).toBe(sum);
    }
  });

  it('has all their occurrences', async () => {
    for (const [i, { appId, events }] of groups.entries()) {
      const { data, meta } = await api.admin.errlog.occurrences({ params: { id: i + 1 } });
      expect(meta.count).toBe(events.length);
      expect(data).toEqual(
        events
          .map(({ time, count, reqId, log }) => ({ time, count, req_id: reqId, app_id: appId, log, fields: {} }))
          .reverse(),
      );
    }
  });

  it('has true counts', async () => {
    await expectTrueCounters(api.server.deps.db);
  });

  it('is in order by count', async () => {
    const { data } = await api.admin.errlog.list({ query: { sort: '-count', page_size: 1_000 } });
    const wanted = groups.map((group, i) => ({ id: i + 1, count: countOf(group) }));
    wanted.sort((a, b) => b.count - a.count || b.id - a.id);
    expect(data.map(({ id, count }) => ({ id, count }))).toEqual(wanted);
  });

  it('has its histogram, facets and request ids', async () => {
    const query = { start_time: FIRST, end_time: FIRST + 3 * HOUR_S };
    const { buckets } = await api.admin.errlog.histogram({ query });
    const total = groups.reduce((sum, group) => sum + countOf(group), 0);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(total);
    const { states, sources } = await api.admin.errlog.facets({});
    expect(states).toEqual([{ state: 'ongoing', count: groups.length }]);
    expect(sources.reduce((sum, { count }) => sum + count, 0)).toBe(groups.length);
    const found = await api.admin.errlog.list({ query: { req_id: "req '3'" } });
    expect(found.meta.count).toBe(TEXTS.length + 1);
    expect((await api.admin.errlog.list({ query: { rollup: true } })).meta.count).toBe(groups.length - 1);
  });

  it('is searched from the first moment, and when the index knows it', async () => {
    const find = async (q: string) => (await api.admin.errlog.list({ query: { q } })).meta.count;
    for (const _ of ['before', 'after']) {
      expect(await find('EMOJI \u{1f600}')).toBe(1);
      expect(await find('\\n \\u0041 \\\\')).toBe(1);
      expect(await find('of many')).toBe(2 * COUNTS.length);
      await api.server.jobs.runAll();
    }
  });

  it('goes on: an error that happens again joins its group', async () => {
    const at = groups.findIndex(({ src }) => src === 1);
    const known = groups[at] as OldGroup;
    const again = { level: known.level, app_id: known.appId, log: lastOf(known.events).log };
    await api.admin.errlog.append({ body: { ...again, host: 'api' } });
    const { count, state } = await api.admin.errlog.get({ params: { id: at + 1 } });
    expect([count, state]).toEqual([countOf(known) + 1, 'ongoing']);
    await expectTrueCounters(api.server.deps.db);
  });
});
