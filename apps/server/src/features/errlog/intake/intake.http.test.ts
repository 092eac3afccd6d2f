// Batches that come again, dry runs, occurrences and sources.
import type { ErrlogLine } from '@quarterdeck/core';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTrueCounters } from '../../../../test/errlog-counters.ts';
import { lastingAdmin } from '../../../../test/lasting-admin.ts';
import { type Answer, newPlace, startApi, type TestApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';

const PATH = '/admin-api/log_server/errlog';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await expectTrueCounters(api.server.deps.db, { whole: false });
  await api[Symbol.asyncDispose]();
});

let apps = 5_000;
const newApp = () => {
  apps += 1;
  return apps;
};

interface Send {
  readonly key?: string;
  readonly query?: string;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly to?: TestApi;
}

/** A batch as it goes over the wire. */
function send(body: unknown, { key, query = '', type = 'application/json', headers, to = api }: Send = {}) {
  return to.fetch(PATH + query, {
    method: 'POST',
    headers: {
      'edge-token': to.adminToken,
      'Content-Type': type,
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const countOf = async (app_id: number, of = api) => {
  const { data } = await of.admin.errlog.list({ query: { app_id, page_size: 10_000 } });
  return data.reduce((sum, { count }) => sum + count, 0);
};

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

  it('is known as NDJSON, too', async () => {
    const app_id = newApp();
    const key = word();
    const text = [1, 2, 3].map((level) => JSON.stringify({ level, log: word(), app_id })).join('\n');
    for (let i = 0; i < 3; i += 1) {
      expect((await send(text, { key, type: 'application/x-ndjson' })).body.data.accepted).toBe(3);
    }
    expect(await countOf(app_id)).toBe(3);
    expect((await send(`${text}\n`, { key, type: 'application/x-ndjson' })).status).toBe(409);
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

  it('is known after a restart, and forgotten after a day', async () => {
    await using place = await newPlace();
    const app_id = newApp();
    const key = word();
    const line = { level: 4, log: word(), app_id };
    {
      await using before = await startApi(place.sharing);
      expect((await send([line, {}], { key, to: before })).body.data.accepted).toBe(1);
    }
    await using after = await startApi(place.sharing);
    const { headers } = await lastingAdmin(after);
    const answer = await send([line, {}], { key, to: after });
    expect(answer.body.data).toMatchObject({ accepted: 1, refused: [{ index: 1 }] });
    expect(await countOf(app_id, after)).toBe(1);
    after.advance(23 * 3_600_000);
    await after.server.jobs.runAll();
    expect((await send([line, {}], { key, to: after, headers })).status).toBe(200);
    expect((await send(line, { key, to: after, headers })).status).toBe(409);
    after.advance(2 * 3_600_000);
    await after.server.jobs.runAll();
    expect((await send(line, { key, to: after, headers })).status).toBe(200);
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
      await db.read.prisma.errlogChunk.count(),
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
    expect(await everything()).toEqual(before);
    expect((await send([{}], { query: '?dry_run=1' })).status).toBe(400);
    for (const wrong of ['2', 'yes', 'TRUE']) {
      const { status, body } = await send(lines, { query: `?dry_run=${wrong}` });
      expect([status, body.err.fields[0].path]).toEqual([400, 'query.dry_run']);
    }
    for (const query of ['?dry_run=', '?dry_run=0', '?dry_run=false', '']) {
      expect((await send({ level: 4, log: word(), app_id }, { query })).body.data.preview).toBeUndefined();
    }
    expect(await countOf(app_id)).toBe(5);
  });
});

describe('GET /admin-api/log_server/errlog/{id}/events', () => {
  it('gives every occurrence once, page by page over many packs, those that came last first', async () => {
    const app_id = newApp();
    const name = word();
    const sent: { time: number; count: number; req_id: string; app_id: number; log: string; fields: object }[] = [];
    let n = 0;
    for (const size of [1, 5, 1, 40, 3, 1, 17, 1, 1, 30]) {
      const body: ErrlogLine[] = Array.from({ length: size }, () => {
        n += 1;
        const log = `${name} ${'\u{1f600}'.repeat(n % 3)} after ${n} ms`;
        // Not in the order of their times.
        const line = { level: 4, app_id, log, log_time: 1_000_000 + ((n * 37) % 90), count: 1 + (n % 2) };
        const req_id = n % 4 === 0 ? `r${n}` : '';
        sent.unshift({ time: line.log_time, count: line.count, req_id, app_id, log, fields: {} });
        return { ...line, req_id };
      });
      await api.admin.errlog.append({ body });
    }
    const groups = (await api.admin.errlog.list({ query: { app_id } })).data;
    // The emoji are part of the text: three groups.
    const all = await Promise.all(
      groups.map(async ({ id }) => {
        const params = { id };
        const whole = await api.admin.errlog.occurrences({ params, query: { page_size: 1_000 } });
        for (const page_size of [1, 7, 20]) {
          const pages = [];
          for (let page = 1; ; page += 1) {
            const { data, meta } = await api.admin.errlog.occurrences({ params, query: { page, page_size } });
            expect(meta.count).toBe(whole.data.length);
            if (data.length === 0) break;
            expect(data.length).toBeLessThanOrEqual(page_size);
            pages.push(...data);
          }
          expect(pages).toEqual(whole.data);
        }
        const window = await api.admin.errlog.occurrences({ params, query: { start: 3, end: 9 } });
        expect(window.data).toEqual(whole.data.slice(3, 9));
        const none = await api.admin.errlog.occurrences({ params, query: { page_size: 0 } });
        expect(none).toEqual({ data: [], meta: { count: whole.data.length } });
        return whole.data;
      }),
    );
    expect(groups.length).toBeGreaterThan(0);
    const logs = new Set(all.map((list) => list.map(({ log }) => log).join()));
    const wanted = all.map((list) => {
      const mine = new Set(list.map(({ log }) => log));
      return sent.filter(({ log }) => mine.has(log));
    });
    expect(logs.size).toBe(groups.length);
    expect(all).toEqual(wanted);
    expect(all.flat()).toHaveLength(sent.length);
  });

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
    const { client } = agent;
    await expect(client.errlog.sources()).rejects.toMatchObject({ status: 403 });
    await expect(createClient({ url: api.url }).errlog.sources()).rejects.toMatchObject({ status: 401 });
  });
});
