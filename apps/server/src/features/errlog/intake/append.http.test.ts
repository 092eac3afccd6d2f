// Lines that the intake accepts over HTTP, and those that it refuses.
import { describe, expect, it } from 'vitest';
import { errlogCalls } from '../../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../../test/errlog-counters.ts';
import { type Answer, useApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';

const api = useApi();

const { list, newApp, send, listOf } = errlogCalls(() => api);

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
    const bytes = Buffer.from(line('caf\xe9 is closed') + line('another'), 'latin1');
    const { status, body } = await send(bytes, 'application/x-ndjson');
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
});
