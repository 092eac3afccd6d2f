import { describe, expect, it } from 'vitest';
import { allOf, clientOf, hasty } from '../../test/fake-client.ts';
import { createClient } from '../client.ts';
import { paginate } from '../paginate.ts';
import { build, createBuilders } from './build.ts';
import { createFake } from './fake.ts';

const rowsOf = (count: number) => {
  const { errlogEntry } = createBuilders();
  return Array.from({ length: count }, () => errlogEntry());
};

describe('lists of a fake', () => {
  it('have the page that a query asks for', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    fake.on('errlog.list', rowsOf(45));
    const ids = async (query: object) => (await client.errlog.list({ query })).data.map(({ id }) => id);
    expect(await ids({ page: 3 })).toEqual([41, 42, 43, 44, 45]);
    expect(await ids({ page: 2, page_size: 2 })).toEqual([3, 4]);
    expect(await ids({ start: 1, end: 3, page: 9 })).toEqual([2, 3]);
    expect(await client.errlog.list({ query: { page_size: 0 } })).toEqual({ data: [], meta: { count: 45 } });
  });

  it('may be bare arrays with their total in a header', async () => {
    const fake = createFake();
    const { agent } = createBuilders();
    fake.on('agent.list', [agent(), agent(), agent()]);
    const { data, meta } = await clientOf(fake).agent.list.page({ query: { _page: 2, _pagesize: 2 } });
    expect([data.map(({ id }) => id), meta]).toEqual([[3], { count: 3 }]);
  });

  it('are read to their end by cursors and by offsets', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    fake.on('errlog.list', rowsOf(45));
    const read = await allOf(paginate(client.errlog.list, {}, { pageSize: 20 }));
    expect(read.map(({ id }) => id)).toEqual(rowsOf(45).map(({ id }) => id));
    expect(fake.callsOf('errlog.list').map(({ query }) => query.cursor)).toEqual(['', '20', '40']);
    const { user } = createBuilders();
    fake.on(
      'user.list',
      Array.from({ length: 45 }, () => user()),
    );
    expect(await allOf(paginate(client.user.list, {}, { pageSize: 20 }))).toHaveLength(45);
  });

  it('have lines before and after a place', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    const { line } = createBuilders();
    fake.on(
      'line.list',
      Array.from({ length: 250 }, () => line()),
    );
    expect(await allOf(client.lines())).toHaveLength(250);
    const newest = await client.line.list({ query: { limit: 100 } });
    const older = await client.line.list({ query: { limit: 100, before: newest.meta.before ?? '' } });
    const again = await client.line.list({ query: { limit: 100, after: older.meta.after ?? '' } });
    expect(newest.meta).toEqual({ before: '100', after: null, complete: true, scanned: 100 });
    expect(again).toEqual(newest);
    fake.on('ledger.list', [build.ledgerRow()]);
    expect(await client.ledger.list()).toMatchObject({ data: [{ stored: 0 }], meta: { complete: true } });
  });

  it('are computed from the parsed query', async () => {
    const fake = createFake();
    fake.on('errlog.list', async ({ query }) => rowsOf(3).map((row) => ({ ...row, state: query.state?.[0] ?? 'new' })));
    const { data } = await clientOf(fake).errlog.list({ query: { state: 'resolved,muted' } });
    expect(data.map(({ state }) => state)).toEqual(['muted', 'muted', 'muted']);
  });

  it('are exported', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    fake.on('errlog.list', rowsOf(3));
    expect((await allOf(client.exportErrlog())).map(({ id }) => id)).toEqual([3, 2, 1]);
    const older = client.exportErrlog({ filter: { before_id: 3 } as object });
    expect((await allOf(older)).map(({ id }) => id)).toEqual([2, 1]);
    fake.on('errlog.export', [build.errlogEntry({ id: 1, log: 'a "b", c' })]);
    expect((await allOf(client.exportErrlogText('csv'))).join('')).toContain('\r\n"a ""b"", c",4,1,1,');
    const { line } = createBuilders();
    fake.on('line.list', [line(), line()]);
    const lines = await allOf(client.exportLines({ filter: { after_id: '1' } }));
    expect(lines.map(({ id }) => id)).toEqual(['2']);
  });
});

describe('events of a fake', () => {
  it('reach the streams of their type, also after a break', async () => {
    const fake = createFake();
    const client = createClient({ url: fake.url, fetch: fake.fetch, clock: hasty });
    const events = client.events({ types: ['agent.online'] });
    const first = events.next();
    await expect.poll(() => fake.openStreams, { timeout: 50_000 }).toBe(1);
    fake.emit('errlog.new', build.errlogEntry());
    fake.emit('agent.online', build.agent({ hostname: 'web-1' }));
    expect((await first).value).toMatchObject({ id: '2', type: 'agent.online', data: { hostname: 'web-1' } });
    fake.endStreams();
    fake.emit('agent.online', build.agent({ hostname: 'web-2' }));
    expect((await events.next()).value).toMatchObject({ data: { hostname: 'web-2' } });
    await events.return();
    expect(fake.openStreams).toBe(0);
  });

  it('are lines that match the filter of their stream', async () => {
    const fake = createFake();
    const client = clientOf(fake);
    const stream = client.events({ types: ['line'], filter: { filter: 'host:web-1 /timed? out/' } });
    const first = stream.next();
    await expect.poll(() => fake.openStreams, { timeout: 50_000 }).toBe(1);
    fake.emit('line', build.line({ host: 'web-2', log: 'timed out' }));
    fake.emit('line', build.line({ host: 'web-1', log: 'refused' }));
    fake.emit('line', build.line({ host: 'web-1', log: 'timed out' }));
    expect((await first).value).toMatchObject({ id: '3', data: { host: 'web-1', log: 'timed out' } });
    await stream.return();
  });

  it('are kept up to a number for streams that continue', async () => {
    const fake = createFake();
    for (let id = 0; id <= 1_000; id += 1) fake.emit('agent.removed', { id });
    const client = clientOf(fake);
    const events = client.events({ types: ['agent.removed'], lastEventId: '0' });
    expect((await events.next()).value).toMatchObject({ id: '2' });
    await events.return();
  });

  it('are refused as any other call', async () => {
    const fake = createFake();
    fake.fails('event.stream', 'forbidden');
    await expect(clientOf(fake).events().next()).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('fit the contract', () => {
    expect(() => createFake().emit('agent.removed', { id: 'x' } as never)).toThrow('agent.removed does not fit');
  });
});
