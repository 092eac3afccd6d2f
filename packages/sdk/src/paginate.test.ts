import { describe, expect, it } from 'vitest';
import { answering, dataOf } from '../test/answering.ts';
import { createClient, paginate } from './index.ts';

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => ({ id: from + i }));
const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
};

const numbers = (url: string, ...names: string[]) =>
  names.map((name) => Number(new URL(url, 'http://host').searchParams.get(name)));
type Answer = (url: string, number: number) => Response;

/** An administration list that answers with a range of these rows. */
const tokensOf =
  (rows: (number: number) => readonly object[]): Answer =>
  (url, number) => {
    const [start = 0, end = 0] = numbers(url, 'start', 'end');
    return dataOf({ data: rows(number).slice(start, end), meta: { count: rows(number).length } });
  };
const tokens = (count: number): Answer => tokensOf(() => ids(1, count));
/** The console's form of it, without ranges and without a total. */
const agents =
  (count: number): Answer =>
  (url) => {
    const [page = 0, size = 0] = numbers(url, '_page', '_pagesize');
    return dataOf(ids(1, count).slice((page - 1) * size, page * size));
  };

/** A client of a server that answers like this, and the addresses of its requests. */
function clientOf(answer: Answer) {
  const seen: string[] = [];
  const { fetch } = answering(({ url }, number) => {
    seen.push(url.replace('http://host', ''));
    return answer(url, number);
  });
  return { ...createClient({ url: 'http://host', fetch }), seen };
}

describe('paginate', () => {
  it.each([
    [0, 3, 1],
    [1, 3, 1],
    [3, 3, 2],
    [4, 3, 2],
    [9, 3, 4],
    [3, 1, 4],
  ])('reads an administration list of %i rows by %i in %i requests', async (count, pageSize, requests) => {
    const { apiToken, seen } = clientOf(tokens(count));
    expect(await all(paginate(apiToken.list, {}, { pageSize }))).toEqual(ids(1, count));
    expect(seen).toHaveLength(requests);
  });

  it.each([
    [0, 30, 1],
    [29, 30, 1],
    [30, 30, 2],
    [1_000, 100, 12],
    [100, 1, 8],
  ])('reads a list of %i agents by %i in %i requests', async (count, pageSize, requests) => {
    const { agent, seen } = clientOf(agents(count));
    expect(await all(paginate(agent.list, {}, { pageSize }))).toEqual(ids(1, count));
    expect(seen).toHaveLength(requests);
  });

  it('keeps the filters and sets the paging itself', async () => {
    const { errlog, seen } = clientOf(tokens(1));
    // As an untyped caller could.
    const query = { q: 'web', start: 3, end: 5, page: 9, page_size: 9, cursor: 'x' };
    await all(paginate(errlog.sources, { query }));
    expect(seen).toEqual(['/admin-api/log_server/source?q=web&start=0&end=100']);
  });

  it('reads a list in an order of its own in one page, where rows could move', async () => {
    const { agent, seen } = clientOf(agents(1));
    await all(paginate(agent.list, { query: { sort: '-last_reported' } }));
    await all(paginate(agent.list));
    expect(seen).toEqual([
      '/api/agents?sort=-last_reported&_page=1&_pagesize=10000',
      '/api/agents?_page=1&_pagesize=100',
    ]);
  });

  it('requests a page only when it is needed', async () => {
    const { apiToken, seen } = clientOf(tokens(9));
    const pages = paginate(apiToken.list, {}, { pageSize: 3 }).pages();
    expect(seen).toHaveLength(0);
    expect((await pages.next()).value).toEqual(ids(1, 3));
    expect(seen).toHaveLength(1);
    expect((await pages.next()).value).toEqual(ids(4, 6));
    await pages.return();
    expect(seen).toHaveLength(2);
  });

  it('reads anew in each loop', async () => {
    const { apiToken, seen } = clientOf(tokens(4));
    const rows = paginate(apiToken.list, {}, { pageSize: 3 });
    expect(await all(rows)).toEqual(await all(rows));
    expect(seen).toHaveLength(4);
  });

  // A row is added at the top after the first page was read.
  const moving = (number: number) => (number === 1 ? ids(1, 4) : [{ id: 0 }, ...ids(1, 4)]);
  it.each([
    [undefined, [1, 2, 3, 4]],
    [null, [1, 2, 2, 3, 4]],
  ])('reads rows that move back with distinctBy %s as %j', async (distinctBy, read) => {
    const { apiToken } = clientOf(tokensOf(moving));
    const rows = await all(paginate(apiToken.list, {}, { pageSize: 2, distinctBy }));
    expect(rows.map(({ id }) => id)).toEqual(read);
  });

  it('distinguishes rows by distinctBy, or by the whole row without an id', async () => {
    const nodes = ['a', 'a', 'b'].map((node_id, index) => ({ id: index + 1, node_id }));
    const named = clientOf(() => dataOf(nodes));
    const byNode = paginate(named.agent.list, {}, { distinctBy: (row) => row.node_id });
    expect((await all(byNode)).map(({ id }) => id)).toEqual([1, 3]);
    const bare = clientOf(() => dataOf(['a', 'b', 'a', { x: 1 }, { x: 1 }]));
    expect(await all(paginate(bare.agent.list))).toEqual(['a', 'b', { x: 1 }]);
  });

  it.each([undefined, null])(
    'does not run for ever on a server that never turns the page (distinctBy %s)',
    async (distinctBy) => {
      const { apiToken, seen } = clientOf((url) => {
        const [start = 0, end = 0] = numbers(url, 'start', 'end');
        return dataOf({ data: ids(1, end - start), meta: { count: 9 } });
      });
      await expect(all(paginate(apiToken.list, {}, { pageSize: 2, distinctBy }))).rejects.toMatchObject({
        name: 'UnexpectedAnswerError',
        message: expect.stringContaining('pages repeat'),
      });
      expect(seen.length).toBeLessThan(25);
    },
  );

  it('does not run for ever when no row can be recognized', async () => {
    let changes = 0;
    const rows = () => ids(1, 9).map((row) => ({ at: row.id, seen: ++changes }));
    await expect(all(paginate(clientOf(tokensOf(rows)).apiToken.list, {}, { pageSize: 2 }))).rejects.toMatchObject({
      message: expect.stringContaining('their rows have no lasting id'),
    });
  });

  it('treats more rows than requested as the whole list', async () => {
    const { agent, seen } = clientOf(() => dataOf(ids(1, 5)));
    expect(await all(paginate(agent.list, {}, { pageSize: 2 }))).toEqual(ids(1, 5));
    expect(seen).toHaveLength(1);
  });

  it('rejects an answer that is not a list', async () => {
    const { apiToken } = clientOf(() => dataOf({ rows: [] }));
    await expect(all(paginate(apiToken.list))).rejects.toMatchObject({
      name: 'UnexpectedAnswerError',
      message: expect.stringContaining('not a list'),
    });
  });

  it.each([0, -1, 1.5, 10_001])('refuses a page size of %d', async (pageSize) => {
    await expect(all(paginate(clientOf(tokens(1)).apiToken.list, {}, { pageSize }))).rejects.toThrow(TypeError);
  });

  it('passes the signal on', async () => {
    const { apiToken, seen } = clientOf(tokens(9));
    const controller = new AbortController();
    const pages = paginate(apiToken.list, {}, { pageSize: 3, signal: controller.signal }).pages();
    await pages.next();
    controller.abort('enough');
    await expect(pages.next()).rejects.toBe('enough');
    expect(seen).toHaveLength(1);
  });
});
