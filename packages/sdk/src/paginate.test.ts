import { describe, expect, it } from 'vitest';
import { type Answer, ok, startServer } from '../test/start-server.ts';
import { createClient, paginate } from './index.ts';

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => ({ id: from + i }));
const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
};

const numbers = (url: string, ...names: string[]) =>
  names.map((name) => Number(new URL(url, 'http://host').searchParams.get(name)));
/** An administration list that answers with a range of these rows. */
const tokensOf =
  (rows: (number: number) => readonly object[]): Answer =>
  (response, request, number) => {
    const [start = 0, end = 0] = numbers(request.url, 'start', 'end');
    const all = rows(number);
    ok({ data: all.slice(start, end), meta: { count: all.length } })(response, request, number);
  };
const tokens = (count: number): Answer => tokensOf(() => ids(1, count));
/** The console's form of it, without ranges and without a total. */
const agentsOf =
  (rows: (number: number) => readonly object[]): Answer =>
  (response, request, number) => {
    const [page = 0, size = 0] = numbers(request.url, '_page', '_pagesize');
    ok(rows(number).slice((page - 1) * size, page * size))(response, request, number);
  };
const agents = (count: number): Answer => agentsOf(() => ids(1, count));

describe('paginate', () => {
  it.each([
    [0, 3, 1],
    [1, 3, 1],
    [3, 3, 2],
    [4, 3, 2],
    [9, 3, 4],
    [3, 1, 4],
  ])('reads an administration list of %i rows by %i in %i requests', async (count, pageSize, requests) => {
    await using server = await startServer(tokens(count));
    const { apiToken } = createClient({ url: server.url });
    expect(await all(paginate(apiToken.list, {}, { pageSize }))).toEqual(ids(1, count));
    expect(server.seen).toHaveLength(requests);
  });

  it.each([
    [0, 30, 1],
    [29, 30, 1],
    [30, 30, 2],
    [1_000, 100, 12],
    [100, 1, 8],
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
    const query = { q: 'web', start: 3, end: 5, page: 9, page_size: 9, cursor: 'x' };
    await all(paginate(errlog.sources, { query }));
    expect(server.seen.map(({ url }) => url)).toEqual(['/admin-api/log_server/source?q=web&start=0&end=100']);
  });

  it('reads a list in an order of its own in one page, where rows could move', async () => {
    await using server = await startServer(agents(1));
    const { agent } = createClient({ url: server.url });
    await all(paginate(agent.list, { query: { sort: '-last_reported' } }));
    await all(paginate(agent.list));
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/agents?sort=-last_reported&_page=1&_pagesize=10000',
      '/api/agents?_page=1&_pagesize=100',
    ]);
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

  // A row is added at the top after the first page was read.
  const moving = (number: number) => (number === 1 ? ids(1, 4) : [{ id: 0 }, ...ids(1, 4)]);
  it.each([
    [undefined, [1, 2, 3, 4]],
    [null, [1, 2, 2, 3, 4]],
  ])('reads rows that move back with distinctBy %s as %j', async (distinctBy, read) => {
    await using server = await startServer(tokensOf(moving));
    const { apiToken } = createClient({ url: server.url });
    const rows = await all(paginate(apiToken.list, {}, { pageSize: 2, distinctBy }));
    expect(rows.map(({ id }) => id)).toEqual(read);
  });

  // Rows of the first page are deleted after it was read, more than a page of them.
  const shrinking = (count: number) => (number: number) =>
    number === 1 ? ids(1, 200) : ids(1, 200).filter(({ id }) => id === 1 || id > count);
  it.each([1, 19, 25, 60])('misses no row when %i rows before it are deleted', async (count) => {
    const expected = ids(count + 1, 200);
    for (const [noun, answer] of [
      ['apiToken', tokensOf(shrinking(count))],
      ['agent', agentsOf(shrinking(count))],
    ] as const) {
      await using server = await startServer(answer);
      const client = createClient({ url: server.url });
      const options = { pageSize: 20 };
      const rows =
        noun === 'agent' ? paginate(client.agent.list, {}, options) : paginate(client[noun].list, {}, options);
      expect((await all<{ id: number }>(rows)).map(({ id }) => id)).toEqual(
        expect.arrayContaining(expected.map(({ id }) => id)),
      );
    }
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
      await using server = await startServer((response, request, number) => {
        const [start = 0, end = 0] = numbers(request.url, 'start', 'end');
        ok({ data: ids(1, end - start), meta: { count: 9 } })(response, request, number);
      });
      const { apiToken } = createClient({ url: server.url });
      await expect(all(paginate(apiToken.list, {}, { pageSize: 2, distinctBy }))).rejects.toMatchObject({
        name: 'UnexpectedAnswerError',
        message: expect.stringContaining('pages repeat'),
      });
      expect(server.seen.length).toBeLessThan(25);
    },
  );

  it('does not run for ever when no row can be recognized', async () => {
    let changes = 0;
    const rows = () => ids(1, 9).map((row) => ({ at: row.id, seen: ++changes }));
    await using server = await startServer(tokensOf(rows));
    const { apiToken } = createClient({ url: server.url });
    await expect(all(paginate(apiToken.list, {}, { pageSize: 2 }))).rejects.toMatchObject({
      message: expect.stringContaining('their rows have no lasting id'),
    });
  });

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

  it.each([0, -1, 1.5, 10_001])('refuses a page size of %d', async (pageSize) => {
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
