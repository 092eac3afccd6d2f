// Batches that come again, dry runs, occurrences and sources.
import { afterAll, describe, expect, it } from 'vitest';
import { ERRLOG_PATH, errlogCalls } from '../../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../../test/errlog-counters.ts';
import { type Answer, useApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';

const api = useApi();
afterAll(async () => {
  await expectTrueCounters(api.server.deps.db, { whole: false });
});

const { newApp, countOf, listOf, send: post } = errlogCalls(() => api);

interface Send {
  readonly key?: string;
  readonly query?: string;
  readonly type?: string;
  readonly headers?: Record<string, string>;
}

const send = (body: unknown, { key, query = '', type, headers }: Send = {}) =>
  post(body, type, { query, headers: { ...(key === undefined ? {} : { 'Idempotency-Key': key }), ...headers } });

describe('a batch with an Idempotency-Key', () => {
  it('counts once, however often it comes, and is answered as it was', async () => {
    const app_id = newApp();
    const key = word();
    const batch = [
      { level: 4, log: word(), app_id, count: 3 },
      { level: 99, log: 'x' },
      { level: 4, log: word(), app_id },
    ];
    const first = await send(batch, { key });
    expect(first.body.data).toMatchObject({ accepted: 2, refused: [{ index: 1 }] });
    for (let i = 0; i < 5; i += 1) {
      const again = await send(batch, { key });
      expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    }
    expect(await countOf(app_id)).toBe(4);
    await send(batch, { key: `${key} of another batch` });
    await send(batch);
    expect(await countOf(app_id)).toBe(12);
  });

  it('counts once when it comes many times at once', async () => {
    const app_id = newApp();
    const keys = [word(), word(), word()];
    const batches = keys.map(() => Array.from({ length: 20 }, () => ({ level: 4, log: word(), app_id })));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => send(batches[i % 3], { key: keys[i % 3] as string })),
    );
    for (const { status, body } of answers) expect([status, body.data]).toEqual([200, { accepted: 20, refused: [] }]);
    expect(await countOf(app_id)).toBe(60);
  });

  it('is refused when the key came with another body before, and stores nothing', async () => {
    const app_id = newApp();
    const key = word();
    const line = { level: 4, log: word(), app_id };
    await send(line, { key });
    for (const body of [{ ...line, count: 2 }, [line, line], [line, { ...line, log: word() }]]) {
      const { status, body: answer } = await send(body, { key });
      expect([status, answer.err.code]).toEqual([409, 'idempotency_conflict']);
    }
    const racing = word();
    const answers = await Promise.all([1, 2, 3, 4].map((count) => send({ ...line, count }, { key: racing })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const stored = answers.findIndex(({ status }) => status === 200) + 1;
    expect(await countOf(app_id)).toBe(1 + stored);
  });

  it('is another one when it comes from somebody else', async () => {
    const app_id = newApp();
    const key = word();
    const line = { level: 4, log: word(), app_id };
    const operator = await api.person('operator');
    const agents = [await api.agent(), await api.agent()];
    const senders = [{}, { 'edge-token': operator.token }, ...agents.map(({ secret }) => ({ 'API-Token': secret }))];
    for (const headers of [...senders, ...senders]) expect((await send(line, { key, headers })).status).toBe(200);
    expect(await countOf(app_id)).toBe(4);
    // Two credentials of one person are the same sender.
    const { token } = await operator.client.apiToken.create({ body: {} });
    await send(line, { key, headers: { 'API-Token': token } });
    expect(await countOf(app_id)).toBe(4);
  });

  it('leaves the key free when nothing of it could be read', async () => {
    const app_id = newApp();
    const key = word();
    expect((await send([{ level: 4 }], { key })).status).toBe(400);
    expect((await send({ level: 4, log: word(), app_id }, { key })).status).toBe(200);
    expect(await countOf(app_id)).toBe(1);
  });

  it('is refused with a key that is none, and stores nothing', async () => {
    const app_id = newApp();
    for (const key of ['', 'x'.repeat(201)]) {
      const { status, body } = await send({ level: 4, log: word(), app_id }, { key });
      expect([status, body.err.code]).toEqual([400, 'validation_failed']);
      expect(body.err.fields.map(({ path }: Answer) => path)).toEqual(['headers.idempotency-key']);
    }
    expect(await countOf(app_id)).toBe(0);
    expect((await send({ level: 4, log: word(), app_id }, { key: 'x'.repeat(200) })).status).toBe(200);
  });

  it('is forgotten after a day', async () => {
    const key = word();
    const line = { level: 4, log: word(), app_id: newApp() };
    await send(line, { key });
    const timeMs = BigInt(api.now() - 25 * 3_600_000);
    await api.server.deps.db.write((tx) => tx.prisma.errlogReceipt.updateMany({ where: { key }, data: { timeMs } }));
    await api.server.jobs.runAll();
    expect((await send({ ...line, count: 2 }, { key })).status).toBe(200);
  });
});

describe('a dry run', () => {
  it('shows how lines would be grouped, and stores nothing, not even their source', async () => {
    const { db } = api.server.deps;
    const app_id = newApp();
    const [known, fresh] = [word(), word()];
    await api.admin.errlog.append({ body: { level: 4, log: `${known} after 5 ms`, app_id } });
    const [entry] = (await api.admin.errlog.list({ query: { app_id, detail: 1 } })).data;
    const everything = async () => [
      await db.read.prisma.source.count(),
      await db.read.prisma.errlog.count(),
      await db.read.prisma.errlogReceipt.count(),
      await countOf(app_id),
    ];
    const before = await everything();
    const lines = [
      { level: 'x', log: 'refused' },
      { level: 'ERROR', log: `${known} after 99 ms`, app_id },
      7,
      { level: 4, log: `${fresh} 1`, app_id },
      { level: 4, log: `${fresh} 2`, app_id },
      { level: 4, log: `${known} after 7 ms`, app_id, node_id: 987_654 },
    ];
    for (const query of ['?dry_run=1', '?dry_run=true']) {
      const { status, body } = await send(lines, { query, key: word() });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ accepted: 4, refused: [{ index: 0 }, { index: 2 }] });
      const { preview } = body.data;
      expect(preview.map(({ index }: Answer) => index)).toEqual([1, 3, 4, 5]);
      expect(preview.map(({ group }: Answer) => group)).toEqual([entry?.id, null, null, null]);
      expect(preview[0]).toMatchObject({ level: 4, log: `${known} after 99 ms`, fingerprint: entry?.fingerprint });
      expect(preview[1].fingerprint).toBe(preview[2].fingerprint);
      expect(preview[1].pattern).toBe(preview[2].pattern);
      expect(preview[1].pattern).not.toContain('1');
    }
    for (const query of ['?dry_run', '?dry_run=', '?dry_run=yes', '?dry_run=1&dry_run=']) {
      const { status, body } = await send(lines, { query });
      expect([status, body.msg], query).toEqual([400, 'query.dry_run: must be true or false']);
    }
    expect(await everything()).toEqual(before);
    expect((await send([{}], { query: '?dry_run=1' })).status).toBe(400);
    for (const query of ['?dry_run=0', '?dry_run=false', '']) {
      expect((await send({ level: 4, log: word(), app_id }, { query })).body.data.preview).toBeUndefined();
    }
    expect(await countOf(app_id)).toBe(4);
  });
});

describe('a dry run without the right to read errors', () => {
  it('names no group, so that a sender cannot ask which errors there are', async () => {
    const app_id = newApp();
    const line = { level: 4, log: `${word()} after 5 ms`, app_id, host: word() };
    await send(line);
    const groupFor = async (...scopes: ('errlog:write' | 'errlog:read')[]) => {
      const { token } = await api.admin.apiToken.create({ body: { scopes } });
      const headers = { 'API-Token': token, 'Content-Type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(line) };
      const { status, body } = await api.fetch(`${ERRLOG_PATH}?dry_run=1`, init);
      return [status, body.data.preview[0].group];
    };
    const [entry] = await listOf(app_id);
    expect(await groupFor('errlog:write')).toEqual([200, null]);
    expect(await groupFor('errlog:write', 'errlog:read')).toEqual([200, entry?.id]);
  });
});

describe('GET /admin-api/log_server/errlog/{id}/events', () => {
  it('adds up equal ones of the same second in a row', async () => {
    const app_id = newApp();
    const line = { level: 4, log: word(), app_id, log_time: 5_000 };
    const body = [line, line, { ...line, count: 5 }, { ...line, req_id: 'r' }, line, { ...line, log_time: 5_001 }];
    await api.admin.errlog.append({ body });
    const [{ id } = { id: 0 }] = (await api.admin.errlog.list({ query: { app_id } })).data;
    const { data } = await api.admin.errlog.occurrences({ params: { id } });
    expect(data.map(({ time, count, req_id }) => [time, count, req_id])).toEqual([
      [5_001, 1, ''],
      [5_000, 1, ''],
      [5_000, 1, 'r'],
      [5_000, 7, ''],
    ]);
    const page = await api.admin.errlog.occurrences({ params: { id }, query: { page: 2, page_size: 3 } });
    expect(page).toEqual({ data: data.slice(3), meta: { count: 4 } });
  });
});

describe('GET /admin-api/log_server/source', () => {
  it('lists who sends, newest first, with the number of their groups; and finds them', async () => {
    const app_id = newApp();
    const agent = await api.agent();
    await agent.client.errlog.append({ body: [1, 2, 3].map((level) => ({ level, log: word(), app_id, node_id: 44 })) });
    await agent.client.errlog.append({ body: { level: 1, log: word(), app_id } });
    const name = `host-${agent.nodeId}`;
    const mine = await api.admin.errlog.sources({ query: { q: name.toUpperCase() } });
    expect(mine.meta.count).toBe(2);
    expect(mine.data.map(({ node_id, groups, node_type }) => [node_id, groups, node_type])).toEqual([
      [null, 1, 0],
      [44, 3, 0],
    ]);
    for (const source of mine.data) {
      expect(source).toMatchObject({ name, agent_id: agent.id, address: expect.stringMatching(/127\.0\.0\.1$/) });
      expect(Math.abs(source.created - api.now() / 1000)).toBeLessThan(600);
    }
    expect(await api.admin.errlog.sources({ query: { agent_id: agent.id } })).toEqual(mine);
    expect((await api.admin.errlog.sources({ query: { agent_id: agent.id, q: 'nobody' } })).meta.count).toBe(0);
    const all = await api.admin.errlog.sources({ query: { page_size: 1_000 } });
    expect(all.data).toHaveLength(all.meta.count);
    const ids = all.data.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(all.data.at(-1)).toMatchObject({ id: 0, name: 'quarterdeck', agent_id: 0 });
    const page = await api.admin.errlog.sources({ query: { page: 2, page_size: 1 } });
    expect(page.data).toEqual(all.data.slice(1, 2));
    for (const q of ['%', '_', '\\', "'", 'nobody']) {
      expect((await api.admin.errlog.sources({ query: { q } })).meta.count, q).toBe(0);
    }
  });
});
