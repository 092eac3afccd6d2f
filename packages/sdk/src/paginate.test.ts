import { describe, expect, it } from 'vitest';
import { type Answer, ok, startServer } from '../test/start-server.ts';
import { createClient, paginate } from './index.ts';

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => ({ id: from + i }));
const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
};

const asked = (url: string) => new URL(url, 'http://host').searchParams;
/** An administration list of this many rows that turns its pages correctly. */
const tokens =
  (count: number): Answer =>
  (response, request, number) => {
    const [page, size] = ['page', 'page_size'].map((name) => Number(asked(request.url).get(name))) as [number, number];
    const data = ids(1, count).slice((page - 1) * size, page * size);
    ok({ data, meta: { count } })(response, request, number);
  };
/** The console's form of it, without a total. */
const agents =
  (count: number): Answer =>
  (response, request, number) => {
    const [page, size] = ['_page', '_pagesize'].map((name) => Number(asked(request.url).get(name))) as [number, number];
    ok(ids(1, count).slice((page - 1) * size, page * size))(response, request, number);
  };

describe('paginate', () => {
  it.each([
    [0, 3, 1],
    [1, 3, 1],
    [3, 3, 1],
    [4, 3, 2],
    [9, 3, 3],
  ])('reads an administration list of %i rows by %i in %i requests', async (count, pageSize, requests) => {
    await using server = await startServer(tokens(count));
    const { apiToken } = createClient({ url: server.url });
    expect(await all(paginate(apiToken.list, {}, { pageSize }))).toEqual(ids(1, count));
    expect(server.seen).toHaveLength(requests);
  });

  it.each([
    [0, 3, 1],
    [2, 3, 1],
    [3, 3, 2],
    [7, 3, 3],
  ])('reads a list of %i agents by %i in %i requests', async (count, pageSize, requests) => {
    await using server = await startServer(agents(count));
    const { agent } = createClient({ url: server.url });
    expect(await all(paginate(agent.list, {}, { pageSize }))).toEqual(ids(1, count));
    expect(server.seen).toHaveLength(requests);
  });

  it('keeps the filters and sets the paging itself', async () => {
    await using server = await startServer(tokens(1));
    const { errlog } = createClient({ url: server.url });
    // As an untyped caller could.
    const query = { level: 4, start: 0, end: 5, page: 9, page_size: 9 };
    await all(paginate(errlog.list, { query }));
    expect(server.seen.map(({ url }) => url)).toEqual(['/admin-api/log_server/errlog?level=4&page=1&page_size=100']);
  });

  it('requests a page only when it is needed', async () => {
    await using server = await startServer(tokens(9));
    const { apiToken } = createClient({ url: server.url });
    const pages = paginate(apiToken.list, {}, { pageSize: 3 }).pages();
    expect(server.seen).toHaveLength(0);
    expect((await pages.next()).value).toEqual(ids(1, 3));
    expect(server.seen).toHaveLength(1);
    expect((await pages.next()).value).toEqual(ids(4, 6));
    await pages.return();
    expect(server.seen).toHaveLength(2);
  });

  it('reads anew in each loop', async () => {
    await using server = await startServer(tokens(4));
    const rows = paginate(createClient({ url: server.url }).apiToken.list, {}, { pageSize: 3 });
    expect(await all(rows)).toEqual(await all(rows));
    expect(server.seen).toHaveLength(4);
  });

  const moving: Answer = (response, request, number) => {
    // A row is added at the top after the first page was read.
    const list = number === 1 ? ids(1, 4) : [{ id: 0 }, ...ids(1, 4)];
    const page = Number(asked(request.url).get('_page'));
    ok(list.slice((page - 1) * 2, page * 2))(response, request, number);
  };
  it('skips rows that it has seen', async () => {
    await using server = await startServer(moving);
    const { agent } = createClient({ url: server.url });
    expect(await all(paginate(agent.list, {}, { pageSize: 2 }))).toEqual(ids(1, 4));
  });
  it('repeats rows with distinctBy null', async () => {
    await using server = await startServer(moving);
    const { agent } = createClient({ url: server.url });
    const rows = await all(paginate(agent.list, {}, { pageSize: 2, distinctBy: null }));
    expect(rows.map(({ id }) => id)).toEqual([1, 2, 2, 3, 4]);
  });
  it('distinguishes rows by distinctBy, or by the whole row without an id', async () => {
    await using named = await startServer(
      ok([
        { id: 1, node_id: 'a' },
        { id: 2, node_id: 'a' },
        { id: 3, node_id: 'b' },
      ]),
    );
    const byNode = paginate(createClient({ url: named.url }).agent.list, {}, { distinctBy: (row) => row.node_id });
    expect((await all(byNode)).map(({ id }) => id)).toEqual([1, 3]);
    await using bare = await startServer(ok(['a', 'b', 'a', { x: 1 }, { x: 1 }]));
    expect(await all(paginate(createClient({ url: bare.url }).agent.list))).toEqual(['a', 'b', { x: 1 }]);
  });

  it.each([undefined, null])(
    'does not run for ever on a server that never turns the page (distinctBy %s)',
    async (distinctBy) => {
      await using server = await startServer(ok(ids(1, 2)));
      const { agent } = createClient({ url: server.url });
      await expect(all(paginate(agent.list, {}, { pageSize: 2, distinctBy }))).rejects.toMatchObject({
        name: 'UnexpectedAnswerError',
        message: expect.stringContaining('page 4 is the same as those before it'),
      });
      expect(server.seen).toHaveLength(4);
    },
  );

  it('treats more rows than requested as the whole list', async () => {
    await using server = await startServer(ok(ids(1, 5)));
    const { agent } = createClient({ url: server.url });
    expect(await all(paginate(agent.list, {}, { pageSize: 2 }))).toEqual(ids(1, 5));
    expect(server.seen).toHaveLength(1);
  });

  it('rejects an answer that is not a list', async () => {
    await using server = await startServer(ok({ rows: [] }));
    const { apiToken } = createClient({ url: server.url });
    await expect(all(paginate(apiToken.list))).rejects.toMatchObject({
      name: 'UnexpectedAnswerError',
      message: expect.stringContaining('not a list'),
    });
  });

  it.each([0, -1, 1.5])('refuses a page size of %d', async (pageSize) => {
    const { apiToken } = createClient({ url: 'http://host' });
    await expect(all(paginate(apiToken.list, {}, { pageSize }))).rejects.toThrow(TypeError);
  });

  it('passes the signal on', async () => {
    await using server = await startServer(tokens(9));
    const { apiToken } = createClient({ url: server.url });
    const controller = new AbortController();
    const pages = paginate(apiToken.list, {}, { pageSize: 3, signal: controller.signal }).pages();
    await pages.next();
    controller.abort('enough');
    await expect(pages.next()).rejects.toBe('enough');
    expect(server.seen).toHaveLength(1);
  });
});
