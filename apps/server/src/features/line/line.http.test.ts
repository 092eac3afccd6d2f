// Stored lines over HTTP.
import { AppError, type ErrlogLine, type Line } from '@quarterdeck/core';
import type { LineListQuery } from '@quarterdeck/sdk';
import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it, vi } from 'vitest';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { useSharedApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const PATH = '/admin-api/log_server/line';
const NGINX =
  'connect() failed (111: Connection refused) while connecting to upstream, client: 10.9.8.7, server: shop.example, request: "GET /cart HTTP/1.1", upstream: "http://10.0.0.5:8080/cart", host: "shop.example"';

const api = useSharedApi();

const { append, newApp, nowS } = errlogCalls(() => api);

const get = (path: string) => api.fetch(PATH + path, { headers: { 'edge-token': api.adminToken } });
const list = (query: LineListQuery) => api.admin.line.list({ query });

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
  it('finds a stored value and a request id in any case', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: word(), app_id, req_id: 'Req-17', fields: { color: 'Dark Red' } }]);
    for (const filter of ['color:"dARK rED"', 'req:rEQ-17']) {
      expect([filter, (await list({ app_id, filter })).data.length]).toEqual([filter, 1]);
    }
    expect((await list({ app_id, req_id: 'rEQ-17' })).data).toEqual([]);
  });

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

  it('refuses a bad filter with the place and what is allowed there', async () => {
    const { status, body } = await get(`?filter=${encodeURIComponent('timeout level:loud')}`);
    expect([status, body.err.code]).toEqual([400, 'validation_failed']);
    expect(body.err.fields).toEqual([
      { path: 'query.filter', message: expect.stringMatching(/^at character 15 \("loud"\): .*Allowed: .*error/) },
    ]);
  });

  it.each([
    ['before=nonsense', 'query.before'],
    ['after=nonsense', 'query.after'],
    ['before=a&after=b', 'query.after'],
    [`before=${Buffer.from('after 1 2').toString('base64url')}`, 'query.before'],
    [`after=${Buffer.from('after 1 two').toString('base64url')}`, 'query.after'],
  ])('refuses cursors that are none, and both cursors: %s', async (query, path) => {
    const { status, body } = await get(`?${query}`);
    expect([status, body.err?.code, body.err?.fields?.[0]?.path]).toEqual([400, 'validation_failed', path]);
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
    expect([status, headers.get('retry-after'), body.err.code]).toEqual([
      503,
      expect.stringMatching(/^[1-5]$/),
      'overloaded',
    ]);
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
    expect((await get(`/${'9'.repeat(16)}`)).body.err.fields[0].path).toBe('params.id');
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
});
