import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Answer, hangUp, inTurn, ok, refuse, silence, startServer } from '../test/start-server.ts';
import { testClock } from '../test/test-clock.ts';
import { contract } from './contract.ts';
import { type Client, createClient, type ErrlogEntry } from './index.ts';

const ATTEMPT_MS = 10_000;

const entry = (id: number): ErrlogEntry => ({
  id,
  level: 4,
  count: id,
  src: 1,
  log_time: 1_000 + id,
  log: `é ${id}\n`,
});
const line = (id: number) => `${JSON.stringify(entry(id))}\n`;
const lines = (...ids: number[]) => ids.map(line).join('');

const begin = (response: ServerResponse, type = 'application/x-ndjson; charset=utf-8') =>
  response.writeHead(200, { 'content-type': type });
/** An export that sends this and ends. */
const whole =
  (text: string, type?: string): Answer =>
  (response) =>
    void begin(response, type).end(text);
/** An export that sends this and breaks off. */
const broken =
  (text: string, type?: string): Answer =>
  (response) =>
    void begin(response, type).write(text, () => response.destroy());
/** An export that sends this and stalls. */
const stuck =
  (text: string): Answer =>
  (response) =>
    void begin(response).write(text);

async function server(answer: Answer, options: object = {}) {
  const started = await startServer(answer);
  const clock = testClock();
  const client = createClient({ url: started.url, clock, apiToken: 'qd_t_export', ...options });
  return { client, clock, started, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

async function idsOf(client: Client, options?: Parameters<Client['exportErrlog']>[0], seen: number[] = []) {
  for await (const { id } of client.exportErrlog(options)) seen.push(id);
  return seen;
}

async function textOf(client: Client, format: 'csv' | 'ndjson') {
  let text = '';
  for await (const piece of client.exportErrlogText(format)) text += piece;
  return text;
}

describe('exportErrlog', () => {
  it('gives every entry, in the order of the server', async () => {
    await using of = await server(whole(lines(9, 7, 2)));
    const entries: ErrlogEntry[] = [];
    for await (const one of of.client.exportErrlog({ filter: { level: 4, q: 'é' } })) entries.push(one);
    expect(entries).toEqual([entry(9), entry(7), entry(2)]);
    expect(of.started.seen[0]?.url).toBe('/admin-api/log_server/errlog/export?level=4&q=%C3%A9&format=ndjson');
    expect(of.started.seen[0]?.headers).toMatchObject({ 'api-token': 'qd_t_export' });
  });

  it('joins lines from pieces, also when cut within a character', async () => {
    const bytes = Buffer.from(lines(3, 2, 1));
    await using of = await server((response) => {
      begin(response);
      const write = (at: number): void => {
        if (at >= bytes.length) return void response.end();
        response.write(bytes.subarray(at, at + 1), () => write(at + 1));
      };
      write(0);
    });
    expect(await idsOf(of.client)).toEqual([3, 2, 1]);
  });

  it('is empty when no entry matches', async () => {
    await using of = await server(whole(''));
    expect(await idsOf(of.client)).toEqual([]);
  });

  it('continues after the last entry when the connection breaks', async () => {
    await using of = await server(
      inTurn(broken(lines(9, 8)), hangUp, broken(`${lines(7)}{"id":6`), whole(lines(6, 5))),
    );
    expect(await idsOf(of.client, { filter: { level: 3 } })).toEqual([9, 8, 7, 6, 5]);
    expect(of.started.seen.map(({ url }) => new URL(url, 'http://x').searchParams.get('before_id'))).toEqual([
      null,
      '8',
      '8',
      '7',
    ]);
    expect(of.started.seen.every(({ url }) => url.includes('level=3'))).toBe(true);
  });

  it('continues after the last entry when the server falls silent', async () => {
    await using of = await server(inTurn(stuck(lines(9)), whole(lines(8))));
    const seen: number[] = [];
    const all = idsOf(of.client, {}, seen);
    await of.clock.running(ATTEMPT_MS);
    await expect.poll(() => seen, { timeout: 50_000 }).toEqual([9]);
    of.clock.runOut(ATTEMPT_MS);
    expect(await all).toEqual([9, 8]);
  });

  it('rejects an answer that ends within a line', async () => {
    await using of = await server(whole(`${lines(2)}{"id":1`), { retries: 0 });
    await expect(idsOf(of.client)).rejects.toMatchObject({ name: 'NetworkError' });
  });

  it('gives up after several failures without an entry', async () => {
    await using of = await server(inTurn(broken(lines(5)), hangUp, hangUp, hangUp), { retries: 2 });
    const seen: number[] = [];
    await expect(idsOf(of.client, {}, seen)).rejects.toMatchObject({ name: 'NetworkError' });
    expect(seen).toEqual([5]);
    expect(of.started.seen).toHaveLength(3);
  });

  it('throws a refusal of the server, without a retry', async () => {
    await using of = await server(refuse('forbidden'));
    await expect(idsOf(of.client)).rejects.toMatchObject({ name: 'ApiError', code: 'forbidden' });
    expect(of.started.seen).toHaveLength(1);
  });

  it.each([
    ['an answer of another kind', ok([])],
    ['lines that are not JSON', whole('nonsense\n')],
  ])('refuses %s', async (_, answer) => {
    await using of = await server(answer);
    await expect(idsOf(of.client)).rejects.toMatchObject({ name: 'UnexpectedAnswerError' });
  });

  it('rejects invalid entries when answers are checked', async () => {
    await using of = await server(whole('{"id":"one"}\n'), { contract, checkAnswers: true });
    await expect(idsOf(of.client)).rejects.toMatchObject({ name: 'UnexpectedAnswerError' });
  });

  it.each([
    ['before the answer', silence],
    ['within the answer', stuck(lines(4))],
  ])('ends with the reason of the signal that is aborted %s', async (_, answer) => {
    await using of = await server(answer);
    const leaving = new AbortController();
    const all = idsOf(of.client, { signal: leaving.signal });
    await of.started.requests(1);
    leaving.abort(new Error('enough'));
    await expect(all).rejects.toThrow('enough');
  });

  it('closes the connection when nobody reads on', async () => {
    let closed: (() => void) | undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    await using of = await server((response) => {
      response.on('close', () => closed?.());
      begin(response).write(lines(3, 2));
    });
    const ids: number[] = [];
    for await (const { id } of of.client.exportErrlog()) {
      ids.push(id);
      break;
    }
    expect(ids).toEqual([3]);
    await isClosed;
  });
});

describe('exportErrlogText', () => {
  it('gives the text as it is', async () => {
    await using of = await server(whole('id,log\r\n1,"a\nb"\r\n', 'text/csv; charset=utf-8; header=present'));
    expect(await textOf(of.client, 'csv')).toBe('id,log\r\n1,"a\nb"\r\n');
    expect(of.started.seen[0]?.url).toContain('format=csv');
  });

  it('retries before the first piece only', async () => {
    await using of = await server(inTurn(refuse('overloaded'), hangUp, broken(lines(2)), whole(lines(2, 1))));
    await expect(textOf(of.client, 'ndjson')).rejects.toMatchObject({ name: 'NetworkError' });
    expect(of.started.seen).toHaveLength(3);
    expect(await textOf(of.client, 'ndjson')).toBe(lines(2, 1));
  });
});
