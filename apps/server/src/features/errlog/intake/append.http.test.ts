// Lines that the intake accepts over HTTP, and those that it refuses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errlogCalls } from '../../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../../test/errlog-counters.ts';
import { type Answer, startApi, type TestApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';

const DAY_S = 86_400;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { list, nowS, newApp, send, listOf, append } = errlogCalls(() => api);

describe('POST /admin-api/log_server/errlog', () => {
  it('takes an array, one object, and NDJSON', async () => {
    const app_id = newApp();
    const line = (level: number) => ({ level, log: word(), app_id });
    const receipt = { accepted: 1, refused: [] };
    expect((await send(line(1))).body.data).toEqual(receipt);
    expect((await send([line(2)])).body.data).toEqual(receipt);
    expect((await send(JSON.stringify(line(3)), 'application/x-ndjson')).body.data).toEqual(receipt);
    expect((await send(JSON.stringify(line(4)), 'application/jsonl; charset=utf-8')).body.data).toEqual(receipt);
    const many = `\ufeff${JSON.stringify(line(5))}\r\n\r\n   \n${JSON.stringify(line(6))}\n\n${JSON.stringify(line(7))}`;
    expect((await send(many, 'application/x-ndjson')).body.data).toEqual({ accepted: 3, refused: [] });
    expect((await listOf(app_id)).map(({ level }) => level).sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('stores what can be read and says what cannot, by its place', async () => {
    const app_id = newApp();
    const good = { level: 4, log: word(), app_id };
    const { status, body } = await send([good, 1, { ...good, level: 9 }, good, { level: 4 }, { ...good, log: ' \n' }]);
    expect(status).toBe(200);
    expect(body.data.accepted).toBe(2);
    expect(body.data.refused.map(({ index }: Answer) => index)).toEqual([1, 2, 4, 5]);
    expect(body.data.refused.map(({ message }: Answer) => message.split(':')[0])).toEqual([
      'must be a JSON object',
      'level',
      'log',
      'log',
    ]);
    expect(await listOf(app_id)).toMatchObject([{ count: 2 }]);
    const lines = ['{"level":4', '', JSON.stringify({ level: 4, log: word(), app_id }), 'null'].join('\n');
    const ndjson = await send(lines, 'application/x-ndjson');
    expect(ndjson.body.data).toMatchObject({ accepted: 1, refused: [{ index: 0 }, { index: 2 }] });
  });

  it('keeps a line of NDJSON with bytes that are not UTF-8, and all beside it', async () => {
    const app_id = newApp();
    const line = (log: string) => `${JSON.stringify({ level: 4, log, app_id })}\n`;
    const { status, body } = await api.fetch('/admin-api/log_server/errlog', {
      method: 'POST',
      headers: { 'edge-token': api.adminToken, 'Content-Type': 'application/x-ndjson' },
      body: Buffer.from(line('caf\xe9 is closed') + line('another'), 'latin1'),
    });
    expect([status, body.data]).toEqual([200, { accepted: 2, refused: [] }]);
    expect((await listOf(app_id)).map(({ log }) => log).sort()).toEqual(['another', 'caf\ufffd is closed']);
  });

  it('refuses a batch of which nothing can be read, and stores nothing', async () => {
    const before = (await list({ query: { page_size: 0 } })).meta.count;
    for (const [body, type] of [
      ['[]', 'application/json'],
      ['{}', 'application/json'],
      ['null', 'application/json'],
      ['"text"', 'application/json'],
      ['[[{"level":4,"log":"x"}]]', 'application/json'],
      ['[{"level":4},{"log":"x"}]', 'application/json'],
      ['[{"level":4,"log":"x"}]', 'application/x-ndjson'],
    ] as const) {
      const answer = await send(body, type);
      expect([answer.status, answer.body.err?.code], body).toEqual([400, 'nothing_accepted']);
    }
    expect((await send('[]')).body.msg).toBe('The batch is empty.');
    const { body } = await send([{ level: 'x', log: 'y' }, 7]);
    expect(body.err.fields.map(({ path }: Answer) => path)).toEqual(['body.0', 'body.1']);
    expect((await list({ query: { page_size: 0 } })).meta.count).toBe(before);
  });

  it('reads a level as number or as name, in any case', async () => {
    const app_id = newApp();
    const named = ['STDERR', 'emerg', 'Alert', 'CRIT', 'error', 'Warn', 'NOTICE', 'info', 'dEbUg'];
    await append(named.map((level) => ({ level, log: word(), app_id })));
    await append(named.map((_, level) => ({ level, log: word(), app_id })));
    const levels = (await listOf(app_id)).map(({ level }) => level).sort();
    expect(levels).toEqual(named.flatMap((_, level) => [level, level]));
    for (const level of [-1, 9, 4.5, '4.5', '', 'fine', null, true, [4], { level: 4 }]) {
      expect((await send({ level, log: 'x', app_id })).status, JSON.stringify(level)).toBe(400);
    }
  });

  it('refuses what is no time, no id, no count', async () => {
    const app_id = newApp();
    const good = { level: 4, log: 'x', app_id };
    for (const wrong of [
      { log_time: -1 },
      { log_time: 1.5 },
      { log_time: '1' },
      { log_time: nowS() + 2 * DAY_S },
      { log_time: api.now() },
      { app_id: -1 },
      { app_id: 2 ** 31 },
      { app_id: '1' },
      { node_type: 3 },
      { node_id: -1 },
      { node_id: 0.5 },
      { count: 0 },
      { count: -1 },
      { count: 1e12 },
      { req_id: 1.5 },
      { req_id: 'x'.repeat(129) },
      { req_id: {} },
      { log: 1 },
      { log: '' },
      { log: null },
    ]) {
      const { status, body } = await send({ ...good, ...wrong });
      expect([status, body.err.fields[0].path], JSON.stringify(wrong)).toEqual([400, 'body.0']);
      expect(body.err.fields[0].message.split(':')[0]).toBe(Object.keys(wrong)[0]);
    }
    expect(await listOf(app_id)).toEqual([]);
  });

  it('takes null for what may be absent', async () => {
    const app_id = newApp();
    const none = { log_time: null, req_id: null, node_type: null, node_id: null, count: null };
    const before = nowS();
    await send({ level: 4, log: word(), app_id, ...none });
    const [entry] = await listOf(app_id);
    expect(entry).toMatchObject({ count: 1, node_type: 0, node_id: null, state: 'new' });
    expect(entry?.log_time).toBeGreaterThanOrEqual(before);
    expect(entry?.log_time).toBeLessThanOrEqual(nowS());
  });

  it('takes minus zero for zero', async () => {
    const name = word();
    const line = `{"level":-0,"log":"${name}","app_id":-0,"log_time":-0,"node_id":-0,"node_type":-0}`;
    for (let i = 0; i < 2; i += 1) expect((await send(line)).body.data.accepted).toBe(1);
    const { data } = await list({ query: { level: 0, app_id: 0, node_id: 0, node_type: 0, end_time: 0, detail: 1 } });
    const zero = { level: 0, count: 2, log_time: 0, first_seen: 0, app_id: 0, node_id: 0, node_type: 0 };
    expect(data.filter(({ log }) => log === name)).toEqual([expect.objectContaining(zero)]);
    await expectTrueCounters(api.server.deps.db);
  });

  it('takes ten thousand lines and not one more', async () => {
    const app_id = newApp();
    const log = word();
    const lines = Array.from({ length: 10_000 }, () => ({ level: 4, log, app_id }));
    expect((await send(lines)).body.data.accepted).toBe(10_000);
    for (const type of ['application/json', 'application/x-ndjson']) {
      const all = [...lines, { level: 4, log, app_id }];
      const body = type === 'application/json' ? all : all.map((line) => JSON.stringify(line)).join('\n');
      const { status, body: refusal } = await send(body, type);
      expect([status, refusal.err.code]).toEqual([413, 'too_large']);
    }
    expect(await listOf(app_id)).toMatchObject([{ count: 10_000 }]);
  });

  it('keeps hostile text as far as it can be stored', async () => {
    const app_id = newApp();
    const texts = [
      'nul \u0000 inside',
      'lone \ud800 surrogate \udfff',
      'bidi \u202e and \u2066 marks',
      "'; DROP TABLE errlog; --",
      '\u001b[2J\u0007 escape',
      '{"__proto__": {"polluted": true}}',
      '\u{1f600}'.repeat(50),
      '\\u0000 as text',
      '$1 ? :name %s',
    ];
    for (const log of texts) expect((await send({ level: 4, log, app_id })).body.data.accepted).toBe(1);
    const stored = new Set((await listOf(app_id)).map(({ log }) => log));
    const kept = texts.map((log) => log.replaceAll('\u0000', '\ufffd').toWellFormed());
    expect(stored).toEqual(new Set(kept));
    // Request ids, too.
    const req_id = `r\u0000'"\ud800`;
    await send({ level: 4, log: word(), app_id, req_id });
    const found = await list({ query: { app_id, req_id: req_id.replace('\u0000', '\ufffd').toWellFormed() } });
    expect(found.meta.count).toBe(1);
  });

  it('cuts a line of more than 16 KiB, and says so in it', async () => {
    const app_id = newApp();
    const start = word();
    await append([{ level: 4, log: `${start} ${'\u00fc'.repeat(10_000)}`, app_id }]);
    const [entry] = await listOf(app_id);
    expect(entry?.log.startsWith(`${start} \u00fc`)).toBe(true);
    expect(entry?.log).toMatch(/ \[cut: \d+ bytes\]$/);
    expect(Buffer.byteLength(entry?.log ?? '')).toBeLessThanOrEqual(16_384);
  });
});
