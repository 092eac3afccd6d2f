// Stored lines over HTTP.
import { AppError, type contract, type ErrlogLine, type Input, type Line } from '@quarterdeck/core';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const PATH = '/admin-api/log_server/line';
const NGINX =
  'connect() failed (111: Connection refused) while connecting to upstream, client: 10.9.8.7, server: shop.example, request: "GET /cart HTTP/1.1", upstream: "http://10.0.0.5:8080/cart", host: "shop.example"';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { append, newApp, nowS } = errlogCalls(() => api);

const get = (path: string) => api.fetch(PATH + path, { headers: { 'edge-token': api.adminToken } });
const list = (query: LineListQuery) => api.admin.line.list({ query });
type LineListQuery = NonNullable<Input<(typeof contract)['line']['list']>['query']>;

const logsOf = (lines: readonly Line[]) => lines.map(({ log }) => log);

/** Lines of one application, a second apart, the oldest first. */
const someLines = (n: number, app_id: number, more: Partial<ErrlogLine> = {}): ErrlogLine[] =>
  Array.from({ length: n }, (_, i) => ({
    level: 4,
    log: `line ${i} ${word()}`,
    log_time: nowS() - n + i,
    app_id,
    ...more,
  }));

describe('GET /admin-api/log_server/line', () => {
  it('has a stored line with all its fields', async () => {
    const app_id = newApp();
    const sent = { level: 4, log: NGINX, log_time: nowS() - 5, app_id, req_id: 'abc-1', node_id: 31, count: 3 };
    await append([sent]);
    const { data, meta } = await list({ app_id });
    const [entry] = (await api.admin.errlog.list({ query: { app_id, detail: 1 } })).data;
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        time: sent.log_time,
        level: 4,
        log: NGINX,
        fields: expect.objectContaining({ client: '10.9.8.7', upstream: 'http://10.0.0.5:8080/cart' }),
        group: entry?.id,
        src: entry?.src,
        source: entry?.source,
        host: entry?.source,
        service: '',
        app_id,
        req_id: 'abc-1',
        count: 3,
      },
    ]);
    expect(meta).toEqual({
      before: null,
      after: null,
      complete: true,
      scanned: expect.any(Number),
    });
    expect(meta.scanned).toBeGreaterThan(0);
  });

  it('finds a line that is not the newest of its group', async () => {
    const app_id = newApp();
    const lineOf = (client: string) => NGINX.replace('10.9.8.7', client);
    await append(['10.1.1.1', '10.1.1.2', '10.1.1.3'].map((client) => ({ level: 4, log: lineOf(client), app_id })));
    expect((await api.admin.errlog.list({ query: { app_id } })).meta.count).toBe(1);
    expect(logsOf((await list({ app_id, q: 'client: 10.1.1.1' })).data)).toEqual([lineOf('10.1.1.1')]);
    expect(logsOf((await list({ app_id, filter: 'client:10.1.1.2' })).data)).toEqual([lineOf('10.1.1.2')]);
  });

  it('is narrowed by every filter, and by all of them together', async () => {
    const app_id = newApp();
    const time = nowS() - 500;
    const wanted = {
      level: 3,
      log: `the wanted one ${word()}`,
      log_time: time,
      app_id,
      req_id: 'r-1',
      node_type: 1,
      node_id: 41,
    };
    const others: ErrlogLine[] = [
      { ...wanted, level: 2, log: 'another level' },
      { ...wanted, level: 5, log: 'a milder level' },
      { ...wanted, log_time: time - 100, log: 'too early' },
      { ...wanted, log_time: time + 100, log: 'too late' },
      { ...wanted, req_id: 'r-2', log: 'another request' },
      { ...wanted, node_type: 2, log: 'another type of node' },
      { ...wanted, node_id: 42, log: 'another node' },
    ];
    await append([wanted, ...others]);
    await append([{ ...wanted, log: 'of another host' }], (await api.agent()).client);
    const [line] = (await list({ app_id, q: wanted.log })).data;
    const filters = {
      filter: '"wanted one" level:>=error',
      q: 'WANTED',
      start_time: time - 50,
      end_time: time + 50,
      level: 3,
      level_max: 3,
      src: line?.src ?? -1,
      app_id,
      req_id: 'r-1',
      node_type: 1,
      node_id: 41,
      group: line?.group ?? -1,
      host: line?.host ?? '-',
    };
    expect(logsOf((await list(filters)).data)).toEqual([wanted.log]);
    for (const [name, value] of Object.entries(filters)) {
      const { data } = await list({ app_id, [name]: value });
      expect(logsOf(data), name).toContain(wanted.log);
      if (name !== 'app_id') expect(data.length, name).toBeLessThan(2 + others.length);
    }
    const none = { ...filters, service: 'nobody' };
    expect((await list(none)).data).toEqual([]);
  });

  it('is newest first by time, then by arrival', async () => {
    const app_id = newApp();
    const at = nowS() - 100;
    const lines = [3, 1, 2, 3, 1].map((second, i) => ({
      level: 4,
      log: `${second} ${i}`,
      log_time: at + second,
      app_id,
    }));
    await append(lines);
    expect(logsOf((await list({ app_id })).data)).toEqual(['3 3', '3 0', '2 2', '1 4', '1 1']);
  });

  it('neither repeats nor misses a line by cursor while others arrive', async () => {
    const app_id = newApp();
    const first = someLines(60, app_id);
    await append(first);
    const seen: Line[] = [];
    let before: string | undefined;
    let newer: string | undefined;
    for (;;) {
      const { data, meta } = await list({ app_id, limit: 7, ...(before === undefined ? {} : { before }) });
      newer ??= meta.after ?? undefined;
      seen.push(...data);
      // Newer lines and older ones arrive between the pages.
      await append([
        { level: 4, log: `late ${seen.length}`, log_time: nowS(), app_id },
        { level: 4, log: `delayed ${seen.length}`, log_time: nowS() - 1_000, app_id },
      ]);
      if (meta.before === null) break;
      before = meta.before;
    }
    const ids = seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const sent = first.map(({ log }) => log);
    expect(logsOf(seen).filter((log) => log.startsWith('line '))).toEqual(sent.toReversed());
    expect(logsOf(seen).filter((log) => log.startsWith('late '))).toEqual([]);
    const again: Line[] = [];
    for await (const line of api.admin.lines({ app_id, q: 'line ' }, { pageSize: 9 })) again.push(line);
    expect(logsOf(again)).toEqual(sent.toReversed());
    // The other cursor of the second page has the first one, and those that came meanwhile.
    const { data } = await list({ app_id, limit: 1000, after: newer ?? '' });
    expect(logsOf(data).filter((log) => log.startsWith('late ')).length).toBeGreaterThan(5);
    expect(logsOf(data).filter((log) => log.startsWith('line '))).toEqual(sent.slice(-7).toReversed());
  });

  it('refuses a bad filter with the place and what is allowed there', async () => {
    const { status, body } = await get(`?filter=${encodeURIComponent('timeout level:loud')}`);
    expect([status, body.err.code]).toEqual([400, 'validation_failed']);
    expect(body.err.fields).toEqual([
      { path: 'query.filter', message: expect.stringMatching(/^at character 15 \("loud"\): .*Allowed: .*error/) },
    ]);
    for (const filter of [
      '"no end',
      '(a',
      '/(/',
      'x '.repeat(65),
      'x'.repeat(4097),
      `${'('.repeat(17)}a${')'.repeat(17)}`,
    ]) {
      const answer = await get(`?filter=${encodeURIComponent(filter)}`);
      expect([answer.status, answer.body.err.fields[0].path], filter.slice(0, 20)).toEqual([400, 'query.filter']);
    }
  });

  it('refuses wrong values, cursors that are none, and both cursors', async () => {
    for (const [query, path] of [
      ['limit=0', 'query.limit'],
      ['limit=1001', 'query.limit'],
      ['level=9', 'query.level'],
      ['group=x', 'query.group'],
      ['before=nonsense', 'query.before'],
      ['after=nonsense', 'query.after'],
      ['before=a&after=b', 'query.after'],
    ]) {
      const { status, body } = await get(`?${query}`);
      expect([status, body.err?.code, body.err?.fields?.[0]?.path], query).toEqual([400, 'validation_failed', path]);
    }
  });

  it('answers expressions that stall other engines', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: `${'a'.repeat(5_000)}!`, app_id }]);
    expect((await list({ app_id, filter: '/(a+)+$/' })).data).toEqual([]);
    expect((await list({ app_id, filter: '/(a+)+!$/' })).data).toHaveLength(1);
  });
});

describe('a search', () => {
  it('ends when its client leaves, which is no failure of the server', async () => {
    const { lineReads } = api.server.deps;
    const searching = Promise.withResolvers<AbortSignal>();
    const page = vi.spyOn(lineReads, 'page').mockImplementation(
      (_query, _slice, _credential, signal) =>
        new Promise((_, reject) => {
          if (signal === undefined) throw new Error('no signal');
          signal.addEventListener('abort', () => reject(signal.reason));
          searching.resolve(signal);
        }),
    );
    const leaving = new AbortController();
    const headers = { 'edge-token': api.adminToken };
    const answer = fetch(api.url + PATH, { headers, signal: leaving.signal });
    const signal = await searching.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => signal.aborted).toBe(true);
    page.mockRestore();
    expect(api.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  it('counts for its credential, whatever its address', async () => {
    const { lineReads } = api.server.deps;
    const page = vi.spyOn(lineReads, 'page');
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    await createClient({ url: api.url, apiToken: token }).line.list();
    await api.admin.line.list();
    expect(page.mock.calls.map(([, , credential]) => credential)).toEqual([
      `api_token ${id}`,
      expect.stringMatching(/^session \d+$/),
    ]);
    page.mockRestore();
  });

  it('is refused with 503 and Retry-After where too many wait', async () => {
    const { lineReads } = api.server.deps;
    const page = vi.spyOn(lineReads, 'page').mockRejectedValue(new AppError('overloaded'));
    const { status, headers, body } = await get('');
    page.mockRestore();
    expect([status, headers.get('retry-after'), body.err.code]).toEqual([503, '1', 'overloaded']);
  });
});

describe('GET /admin-api/log_server/line/{id}', () => {
  it('has one line, and 404 for an id without one', async () => {
    const app_id = newApp();
    await append(someLines(3, app_id));
    const { data } = await list({ app_id });
    for (const line of data) expect(await api.admin.line.get({ params: { id: line.id } })).toEqual(line);
    for (const id of ['999999999999999', '2147483648']) {
      const { status, body } = await get(`/${id}`);
      expect([status, body.err.code], id).toEqual([404, 'not_found']);
      expect((await get(`/${id}/context`)).status).toBe(404);
    }
    for (const id of ['0', '-1', 'x', '1.5', '1e3', '9'.repeat(16)]) {
      const { status, body } = await get(`/${id}`);
      expect([status, body.err.fields[0].path], id).toEqual([400, 'params.id']);
    }
  });
});

describe('GET /admin-api/log_server/line/{id}/context', () => {
  it('has the lines around a line of its host and service, in the order of time', async () => {
    const app_id = newApp();
    const [one, other] = [await api.agent(), await api.agent()];
    const [lines, others] = [someLines(30, app_id), someLines(30, app_id)];
    await append(lines, one.client);
    await append(others, other.client);
    const [line] = (await list({ app_id, q: lines[15]?.log ?? '' })).data;
    const context = async (query: object) =>
      logsOf((await api.admin.line.context({ params: { id: line?.id ?? '' }, query })).data);
    const logs = lines.map(({ log }) => log);
    expect(await context({})).toEqual(logs.slice(5, 26));
    expect(await context({ before: 2, after: 3 })).toEqual(logs.slice(13, 19));
    expect(await context({ before: 0, after: 0 })).toEqual([logs[15]]);
    expect(await context({ before: 1000, after: 0, same: 'source' })).toEqual(logs.slice(0, 16));
  });

  it('is of one request on every host where that is asked for', async () => {
    const app_id = newApp();
    const req_id = word();
    const lines = someLines(6, app_id).map((line, i) => ({
      ...line,
      node_id: 60 + i,
      ...(i % 2 === 0 ? { req_id } : {}),
    }));
    await append(lines);
    const [line] = (await list({ app_id, q: lines[2]?.log ?? '' })).data;
    const { data } = await api.admin.line.context({ params: { id: line?.id ?? '' }, query: { same: 'request' } });
    expect(logsOf(data)).toEqual([0, 2, 4].map((i) => lines[i]?.log));
    const { status, body } = await get(`/${line?.id}/context?same=nothing`);
    expect([status, body.err.fields[0].path]).toEqual([400, 'query.same']);
  });
});

describe('GET /admin-api/log_server/line/values', () => {
  it('counts the values of a field among the lines of a filter', async () => {
    const app_id = newApp();
    const lineOf = (client: string, count: number) => ({
      level: 4,
      log: NGINX.replace('10.9.8.7', client),
      app_id,
      count,
    });
    await append([lineOf('10.2.0.1', 5), lineOf('10.2.0.2', 3), lineOf('10.2.0.3', 2), lineOf('10.2.0.2', 1)]);
    await append([{ level: 4, log: 'without a client', app_id }]);
    const values = await api.admin.line.values({ query: { app_id, field: 'client', top: 2 } });
    expect(values).toEqual({
      values: [
        { value: '10.2.0.1', count: 5 },
        { value: '10.2.0.2', count: 4 },
      ],
      other: 2,
      distinct: 3,
      meta: { complete: true },
    });
    const filtered = await api.admin.line.values({ query: { app_id, field: 'client', filter: '-client:10.2.0.1' } });
    expect(filtered.values.map(({ value }) => value)).toEqual(['10.2.0.2', '10.2.0.3']);
    expect((await get('/values')).body.err.fields[0].path).toBe('query.field');
  });
});

describe('GET /admin-api/log_server/line/histogram', () => {
  it('counts lines by time and level', async () => {
    const app_id = newApp();
    const start = (Math.floor(nowS() / 600) - 10) * 600;
    await append([
      { level: 3, log: 'a', log_time: start, app_id },
      { level: 4, log: 'b', log_time: start + 59, app_id, count: 4 },
      { level: 4, log: 'c', log_time: start + 60, app_id },
      { level: 4, log: 'd', log_time: start + 600, app_id },
    ]);
    const query = { app_id, start_time: start, end_time: start + 599, buckets: 10 };
    const histogram = await api.admin.line.histogram({ query });
    expect(histogram).toMatchObject({ start, end: start + 600, step: 60, meta: { complete: true } });
    expect(histogram.buckets.map(({ count }) => count)).toEqual([5, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(histogram.buckets[0]?.levels.slice(3, 5)).toEqual([1, 4]);
    const narrowed = await api.admin.line.histogram({ query: { ...query, filter: 'level:error' } });
    expect(narrowed.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(
      histogram.buckets.reduce((sum, { levels }) => sum + (levels[4] ?? 0), 0),
    );
  });

  it('is of the last 24 hours, unless the filter has a span', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: 'old', log_time: nowS() - 2 * 86_400, app_id }]);
    await append([{ level: 4, log: 'new', log_time: nowS() - 60, app_id }]);
    const total = async (filter?: string) => {
      const query = { app_id, ...(filter === undefined ? {} : { filter }) };
      const { buckets, start, end } = await api.admin.line.histogram({ query });
      expect(buckets.length).toBeLessThanOrEqual(60);
      return { lines: buckets.reduce((sum, { count }) => sum + count, 0), span: end - start };
    };
    const day = await total();
    expect(day.lines).toBe(1);
    expect(day.span).toBeGreaterThanOrEqual(86_400);
    expect((await total('since:3d')).lines).toBe(2);
    const hour = await total('since:1h');
    expect(hour).toMatchObject({ lines: 1 });
    expect(hour.span).toBeLessThan(3_800);
    expect((await total('since:1h until:2h')).lines).toBe(0);
  });
});
