import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { BatchNumbers, ErrlogLine, LedgerPage } from '@quarterdeck/core';
import { cached } from '@quarterdeck/core/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ERRLOG_PATH } from '../../../test/errlog-calls.ts';
import { type Settings, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const MINUTE_MS = 60_000;
/** Start of a minute after the database was made, so that the ledger reaches back to it. */
const newMinute = () => Math.ceil(Date.now() / MINUTE_MS + 1) * MINUTE_MS;

let api: TestApi;
let admin: TestApi['admin'];
/** Of an API token that never expires; the source of its lines has its name. */
let adminToken: string;
/** Start of a minute in which no other test has sent anything. */
let startMs: number;

async function start(settings: Settings = {}): Promise<void> {
  startMs = newMinute();
  api = await startApi(settings, { startMs });
  adminToken = (await api.admin.apiToken.create({ body: { name: 'sender' } })).token;
  admin = api.using(adminToken);
}

beforeAll(() => start());
beforeEach(() => {
  startMs = (Math.floor(api.now() / MINUTE_MS) + 1) * MINUTE_MS;
  api.advance(startMs - api.now());
});
afterAll(() => api[Symbol.asyncDispose]());

type LedgerQuery = NonNullable<Parameters<TestApi['admin']['ledger']['list']>[0]>['query'];
/** The ledger from the start of the test, unless the query has another one. */
const ledger = (query: LedgerQuery = {}) => admin.ledger.list({ query: { start_time: startMs / 1000, ...query } });
const linesOf = (n: number, host?: string): ErrlogLine[] =>
  Array.from({ length: n }, () => ({ level: 4, log: word(), host }));

interface Sent {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(lines: readonly unknown[], { token = adminToken, headers = {} }: Sent = {}) {
  const body = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const type = { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' };
  const { status } = await api.fetch(ERRLOG_PATH, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, ...type, ...headers },
    body,
  });
  return status;
}

async function srcOf(name: string): Promise<number> {
  const { data } = await admin.errlog.sources({ query: { page_size: 1000 } });
  return data.find((source) => source.name === name)?.id ?? -1;
}

/** Sums of a source over all minutes, without those that are 0. */
function sumsOf({ data }: LedgerPage, src: number): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { src: of, minute: _minute, dropped, ...counts } of data) {
    if (of !== src) continue;
    for (const [name, n] of Object.entries({ ...counts, ...dropped })) {
      if (n && n > 0) sums[name] = (sums[name] ?? 0) + n;
    }
  }
  return sums;
}

describe('GET /admin-api/log_server/ledger', () => {
  it('counts the lines of each source in the minute of their arrival', async () => {
    await send([...linesOf(3, 'gw1'), ...linesOf(2, 'gw2'), { level: 4, log: 'again', host: 'gw2', count: 5 }]);
    api.advance(2 * MINUTE_MS);
    await send(linesOf(4, 'gw1'));
    const [gw1, gw2] = [await srcOf('gw1'), await srcOf('gw2')];
    const { data, meta } = await ledger();
    const row = { read: null, sent: null, dropped: {} };
    const minute = startMs / 1000;
    expect(data).toEqual([
      { src: gw1, minute: minute + 120, ...row, received: 4, stored: 4, grouped: 4 },
      { src: gw1, minute, ...row, received: 3, stored: 3, grouped: 3 },
      { src: gw2, minute, ...row, received: 7, stored: 7, grouped: 7 },
    ]);
    expect(meta).toEqual({ complete: true, gaps: [] });
    expect((await ledger({ src: gw2 })).data).toEqual(data.slice(2));
    expect((await ledger({ end_time: minute + 119 })).data).toEqual(data.slice(1));
    expect((await ledger({ start_time: minute + 60 })).data).toEqual(data.slice(0, 1));
  });

  it('counts a batch that is repeated under its key once', async () => {
    const lines = linesOf(3, 'gw1');
    const headers = { 'Idempotency-Key': randomUUID() };
    expect([await send(lines, { headers }), await send(lines, { headers })]).toEqual([200, 200]);
    expect(sumsOf(await ledger(), await srcOf('gw1'))).toEqual({ received: 3, stored: 3, grouped: 3 });
  });

  it('counts lines that cannot be read, also where none of a batch can', async () => {
    expect(await send([...linesOf(2), { level: 4 }])).toBe(200);
    expect(await send([{ level: 'none', log: 'x' }, 5])).toBe(400);
    const src = await srcOf('sender');
    const { data, meta } = await ledger();
    expect(sumsOf({ data, meta }, src)).toEqual({ received: 5, stored: 2, grouped: 2, refused: 3 });
    expect(meta.complete).toBe(false);
    expect(meta.gaps).toMatchObject([{ src, stage: 'refused', lines: 3 }]);
    const start_time = startMs / 1000 + 60;
    expect((await ledger({ start_time })).meta).toEqual({ complete: true, gaps: [] });
  });

  it('counts records of OpenTelemetry without anything to store', async () => {
    const headers = { 'API-Token': adminToken, 'Content-Type': 'application/json' };
    for (const logRecords of [
      [{ body: { stringValue: 'one' } }, {}],
      [{}, {}],
    ]) {
      const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
      expect((await api.fetch('/v1/logs', { method: 'POST', headers, body })).status).toBe(200);
    }
    expect(sumsOf(await ledger(), await srcOf('otlp'))).toMatchObject({
      received: 4,
      stored: 1,
      grouped: 1,
      refused: 3,
    });
  });

  it('counts lines whose form does not tell their time or level, as part of the stored ones', async () => {
    const time = Math.floor(api.now() / 1000);
    const loki = (text: string, level?: string) =>
      JSON.stringify({
        streams: [{ stream: { host: 'gw3', ...(level && { level }) }, values: [['0', text]] }],
      });
    const post = (path: string, body: string) =>
      api.fetch(path, {
        method: 'POST',
        headers: { 'API-Token': adminToken, 'Content-Type': 'application/json' },
        body,
      });
    await post('/loki/api/v1/push', loki('neither'));
    await post('/loki/api/v1/push', loki('a level', 'warn'));
    await post('/loki/api/v1/push', loki(`${new Date(time * 1000).toISOString()} ERROR both in the text`));
    // A logger's object, and a line of this API, whose sender leaves the time to the server.
    await send([
      { msg: 'logged', level: 'error', hostname: 'gw3' },
      { log: 'sent', level: 4, host: 'gw3' },
    ]);
    expect(sumsOf(await ledger(), await srcOf('gw3'))).toEqual({
      ...{ received: 5, stored: 5, grouped: 5 },
      ...{ lines_without_time: 3, lines_without_level: 1 },
    });
    expect((await ledger()).meta.complete).toBe(true);
  });

  it('counts lines whose text was cut', async () => {
    await send([{ level: 4, log: 'x'.repeat(20_000), host: 'gw1' }, ...linesOf(1, 'gw1')]);
    const { data, meta } = await ledger();
    expect(sumsOf({ data, meta }, await srcOf('gw1'))).toEqual({ received: 2, stored: 2, grouped: 2, cut: 1 });
    expect(meta.complete).toBe(true);
  });

  it('counts lines beyond the limit of new groups, and those that the quota turned away', async () => {
    const [shared, sharedAdmin, sharedToken] = [api, admin, adminToken];
    await start({ NEW_GROUPS_PER_MINUTE: '2', SOURCE_QUOTA: '6' });
    try {
      await send(linesOf(60, 'gw1'));
      const gw1 = await srcOf('gw1');
      const flooded = await ledger();
      expect(sumsOf(flooded, gw1)).toEqual({ received: 60, stored: 60, grouped: 2, flood: 58 });
      expect(flooded.meta.complete).toBe(true);
      expect(await send([...linesOf(3, 'gw1'), ...linesOf(1, 'gw2')])).toBe(429);
      const page = await ledger();
      expect(sumsOf(page, gw1)).toEqual({ received: 60, stored: 60, grouped: 2, flood: 58, quota: 3 });
      // It has no source yet, so its lines count for this server.
      expect(await srcOf('gw2')).toBe(-1);
      expect(sumsOf(page, 0)).toEqual({ quota: 1 });
      expect(page.meta.gaps).toMatchObject([
        { src: 0, stage: 'quota', lines: 1 },
        { src: gw1, stage: 'quota', lines: 3 },
      ]);
    } finally {
      await api[Symbol.asyncDispose]();
      [api, admin, adminToken] = [shared, sharedAdmin, sharedToken];
    }
  });

  it('forgets what is older than groups may be, and says so', async () => {
    const from = startMs / 1000;
    await send([{ level: 4 }, ...linesOf(1)]);
    const DAYS = 90;
    api.advance((DAYS + 1) * 86_400_000);
    await api.server.jobs.runAll();
    expect(await ledger()).toEqual({ data: [], meta: { complete: false, gaps: [] } });
    expect((await ledger({ start_time: from + 86_400 + 60 })).meta).toEqual({ complete: true, gaps: [] });
  });
});

describe('numbered batches of an agent', () => {
  const NONE = { rotation: 0, spool_full: 0, skipped: 0 };
  let agent: { secret: string; id: number };
  beforeEach(async () => {
    agent = await admin.agent.register({ body: { node_id: randomUUID(), hostname: 'gw' } });
  });

  const sendNumbered = (lines: readonly unknown[], numbers: unknown) =>
    send(lines, { token: agent.secret, headers: { 'Quarterdeck-Batch': JSON.stringify(numbers) } });
  const numbersOf = (number: number, read: number, dropped: BatchNumbers['dropped'] = NONE): BatchNumbers => ({
    spool: 'spool-1',
    number,
    read,
    dropped,
  });
  async function sums() {
    const { data } = await admin.errlog.sources({ query: { agent_id: agent.id } });
    return sumsOf(await ledger(), data[0]?.id ?? -1);
  }

  it('count what the agent has read and sent, beside what was stored', async () => {
    expect(await sendNumbered(linesOf(3), numbersOf(1, 3))).toBe(200);
    expect(await sendNumbered([...linesOf(1), { level: 4 }], numbersOf(2, 5))).toBe(200);
    expect(await sums()).toEqual({ read: 5, sent: 5, received: 5, stored: 4, grouped: 4, refused: 1 });
  });

  it('count the lines whose files do not tell their time or level, once and never more than came', async () => {
    const numbers = { ...numbersOf(1, 3), lines_without_time: 2, lines_without_level: 900 };
    for (let i = 0; i < 2; i += 1) await sendNumbered(linesOf(3), numbers);
    expect(await sums()).toMatchObject({ read: 3, lines_without_time: 2, lines_without_level: 3 });
  });

  it('show the lines of batches that never came, with their span', async () => {
    await sendNumbered(linesOf(3), numbersOf(1, 3));
    api.advance(10 * MINUTE_MS);
    await sendNumbered(linesOf(2), numbersOf(4, 12));
    expect(await sums()).toEqual({ read: 12, sent: 5, received: 5, stored: 5, grouped: 5, missing: 7 });
    const start_time = startMs / 1000 + 300;
    const { meta } = await ledger({ start_time, end_time: start_time + 60 });
    expect(meta).toMatchObject({ complete: false, gaps: [{ stage: 'missing', lines: 7 }] });
    const [gap] = meta.gaps;
    expect((gap?.end_time ?? 0) - (gap?.start_time ?? 0)).toBeGreaterThanOrEqual(600);
    expect((await ledger({ start_time: start_time + 600 })).meta.complete).toBe(true);
  });

  it('count once, also when none of their lines can be read', async () => {
    for (const status of [400, 400]) expect(await sendNumbered([{ level: 4 }], numbersOf(1, 1))).toBe(status);
    await sendNumbered(linesOf(1), numbersOf(2, 2));
    expect(await sums()).toEqual({ read: 2, sent: 2, received: 2, stored: 1, grouped: 1, refused: 1 });
  });

  it('may be empty, and count the losses of the agent', async () => {
    await sendNumbered(linesOf(1), numbersOf(1, 1));
    expect(await sendNumbered([], numbersOf(2, 1, { rotation: 2, spool_full: 1, skipped: 0 }))).toBe(200);
    expect(await sendNumbered([], numbersOf(3, 1, { rotation: 2, spool_full: 3, skipped: 4 }))).toBe(200);
    const dropped = { rotation: 2, spool_full: 3, skipped: 4 };
    expect(await sums()).toEqual({ read: 1, sent: 1, received: 1, stored: 1, grouped: 1, ...dropped });
  });

  it('begin anew with a new spool, and miss nothing of one that another server has seen', async () => {
    await sendNumbered(linesOf(1), numbersOf(7, 700, { ...NONE, rotation: 9 }));
    await sendNumbered(linesOf(2), { ...numbersOf(1, 2, { ...NONE, rotation: 1 }), spool: 'spool-2' });
    expect(await sums()).toEqual({ read: 3, sent: 3, received: 3, stored: 3, grouped: 3, rotation: 1 });
  });

  it('may come from an agent that does not count skipped entries yet', async () => {
    const { skipped: _, ...earlier } = NONE;
    await sendNumbered(linesOf(1), { ...numbersOf(1, 1), dropped: earlier });
    // The server of that time has stored the losses without the stage.
    await api.server.deps.db.write(({ sql }) =>
      sql.run(cached('UPDATE ledger_batch SET dropped = ?'), JSON.stringify(earlier)),
    );
    await sendNumbered(linesOf(1), numbersOf(2, 2, { ...NONE, skipped: 3 }));
    expect(await sums()).toEqual({ read: 2, sent: 2, received: 2, stored: 2, grouped: 2, skipped: 3 });
  });

  it('are refused with numbers that are none, and ignored from anybody but an agent', async () => {
    for (const wrong of ['x', numbersOf(0, 1), { ...numbersOf(1, 1), spool: '' }, numbersOf(1, -1)])
      expect(await sendNumbered(linesOf(1), wrong)).toBe(400);
    expect(await send(linesOf(1), { headers: { 'Quarterdeck-Batch': JSON.stringify(numbersOf(1, 9)) } })).toBe(200);
    expect(sumsOf(await ledger(), await srcOf('sender'))).toEqual({ received: 1, stored: 1, grouped: 1 });
    expect(await send([])).toBe(400);
  });
});
