import { describe, expect, it } from 'vitest';
import { got, listen, stream, take, written } from '../test/event-streams.ts';
import { type Answer, inTurn, ok, refuse, startServer } from '../test/start-server.ts';
import { testClock } from '../test/test-clock.ts';
import { createClient, type Line } from './index.ts';

const lineOf = (id: number) => ({ id: String(id), log: `line ${id}` });
const page = (ids: readonly number[], before: string | null): Answer =>
  ok({ data: ids.map(lineOf), meta: { before, after: null, complete: true, scanned: 9 } });

async function server(answer: Answer) {
  const started = await startServer(answer);
  const client = createClient({ url: started.url, clock: testClock(), apiToken: 'qd_t_lines' });
  return { client, started, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

async function idsOf(lines: AsyncIterable<Line>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of lines) ids.push(id);
  return ids;
}

describe('lines', () => {
  it('reads page by page, by the cursor of the page before', async () => {
    await using of = await server(inTurn(page([9, 8], 'c1'), page([], 'c2'), refuse('overloaded'), page([7], null)));
    expect(await idsOf(of.client.lines({ filter: 'level:error' }, { pageSize: 2 }))).toEqual(['9', '8', '7']);
    const queries = of.started.seen.map(({ url }) => new URL(url, 'http://x').searchParams);
    expect(queries.map((query) => query.get('before'))).toEqual([null, 'c1', 'c2', 'c2']);
    expect(queries.every((query) => query.get('filter') === 'level:error' && query.get('limit') === '2')).toBe(true);
  });

  it('requests no page that is not read', async () => {
    await using of = await server(page([2, 1], 'more'));
    for await (const { id } of of.client.lines()) if (id === '1') break;
    expect(of.started.seen).toHaveLength(1);
  });
});

describe('exportLines', () => {
  const text = (...ids: number[]) => ids.map((id) => `${JSON.stringify(lineOf(id))}\n`).join('');
  const begin = { 'content-type': 'application/x-ndjson' };

  it('continues after the last line when the connection breaks', async () => {
    await using of = await server(
      inTurn(
        (response) => void response.writeHead(200, begin).write(text(3, 4), () => response.destroy()),
        (response) => void response.writeHead(200, begin).end(text(7)),
      ),
    );
    expect(await idsOf(of.client.exportLines({ filter: { q: 'x', after_id: '2' } }))).toEqual(['3', '4', '7']);
    expect(of.started.seen.map(({ url }) => url)).toEqual([
      '/admin-api/log_server/line/export?q=x&after_id=2&format=ndjson',
      '/admin-api/log_server/line/export?q=x&after_id=4&format=ndjson',
    ]);
  });

  it('gives the text of a file', async () => {
    await using of = await server(
      (response) => void response.writeHead(200, { 'content-type': 'text/csv' }).end('id\r\n1\r\n'),
    );
    let csv = '';
    for await (const piece of of.client.exportLinesText('csv')) csv += piece;
    expect(csv).toBe('id\r\n1\r\n');
  });
});

describe('live lines', () => {
  it('come with what was missed', async () => {
    const text = written(1, 'line') + written(2, 'errlog.new') + written(3, 'line.missed') + written(4, 'line');
    await using started = await startServer(stream(text));
    const taken = await take(3, listen(started.url, { types: ['line'], filter: { filter: 'level:error' } }));
    expect(taken).toEqual([got(1, 'line'), got(3, 'line.missed'), got(4, 'line')]);
    expect(started.seen[0]?.url).toBe('/admin-api/events?filter=level%3Aerror&types=line%2Cline.missed%2Cresync');
  });
});
