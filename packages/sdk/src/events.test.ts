import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../test/thoroughness.ts';
import { got, listen, stream, TOKEN, take, written } from '../test/event-streams.ts';
import { inTurn, refuse, send, startServer } from '../test/start-server.ts';
import { contract } from './contract.ts';

describe('events', () => {
  it('arrive as written, requested with the credential and without a query', async () => {
    await using server = await startServer(stream(written(1) + written(2, 'agent.online')));
    expect(await take(2, listen(server.url))).toEqual([got(1), got(2, 'agent.online')]);
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      url: '/admin-api/events',
      headers: { accept: 'text/event-stream', 'api-token': TOKEN },
    });
    expect(server.seen[0]?.headers).not.toHaveProperty('last-event-id');
  });

  it('can be narrowed by type; a resync always comes', async () => {
    const text = written(1, 'agent.online') + written(2) + written(3, 'resync');
    await using server = await startServer(stream(text));
    const taken = await take(2, listen(server.url, { types: ['errlog.new'] }));
    // The first type was not requested: an older server may ignore the selection.
    expect(taken).toEqual([got(2), got(3, 'resync')]);
    expect(server.seen[0]?.url).toBe('/admin-api/events?types=errlog.new%2Cresync');
  });

  it('of an unknown type, or of none, are skipped', async () => {
    const text = `${written(1, 'from.the.future')}data: {}\n\nevent: toString\ndata: {}\n\n${written(2)}`;
    await using server = await startServer(stream(text));
    expect(await take(1, listen(server.url))).toEqual([got(2)]);
  });

  it('without an id of their own have that of the one before', async () => {
    await using server = await startServer(stream(`${written(1)}event: errlog.new\ndata: {}\n\n`));
    expect(await take(2, listen(server.url))).toEqual([got(1), { id: '1', type: 'errlog.new', data: {} }]);
  });

  it('may be cut into pieces anywhere, also within a character', async () => {
    const event = (id: number) => `id: ${id}\r\nevent: errlog.new\r\ndata: {"log":\r\ndata: "aé漢🙂"}\r\n\r\n`;
    const bytes = new TextEncoder().encode(`\ufeff:ping\n\n${event(1)}${event(2).replaceAll('\r\n', '\n')}`);
    const expected = [1, 2].map((id) => ({ id: String(id), type: 'errlog.new', data: { log: 'aé漢🙂' } }));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length)), async (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end)).filter(({ length }) => length > 0);
        const { events } = listen('http://host', {}, { fetch: async () => streamed(pieces[Symbol.iterator]()) });
        expect(await take(2, { events })).toEqual(expected);
      }),
      { numRuns: atMost(20, 100) },
    );
  });

  it('are read no faster than they are taken', async () => {
    let pulled = 0;
    const endless = (function* () {
      for (;;) yield new TextEncoder().encode(written(++pulled));
    })();
    const { events } = listen('http://host', {}, { fetch: async () => streamed(endless) });
    expect((await events.next()).value).toEqual(got(1));
    expect((await events.next()).value).toEqual(got(2));
    await new Promise(setImmediate);
    expect(pulled).toBe(2);
    await events.return();
  });

  it('are compared with the contract when answers are checked', async () => {
    await using server = await startServer(stream('event: resync\ndata: {"reason":7,"of":"all"}\n\n'));
    await expect(take(1, listen(server.url, {}, { contract, checkAnswers: true }))).rejects.toMatchObject({
      name: 'UnexpectedAnswerError',
      message: expect.stringContaining('resync: the data does not fit the contract: data.reason'),
    });
  });

  it.each([
    ['is not JSON', 'id: 1\nevent: errlog.new\ndata: {"hush\n\n', 'the data of an event errlog.new is not JSON'],
    ['does not end', `event: errlog.new\ndata: "${'x'.repeat(1_100_000)}`, 'an event of more than 1048576 characters'],
  ])('whose data %s are an error', async (_, text, message) => {
    await using server = await startServer(stream(text));
    await expect(take(1, listen(server.url))).rejects.toMatchObject({
      name: 'UnexpectedAnswerError',
      message: `Unexpected answer from ${server.url}/admin-api/events: ${message} (HTTP 200, text/event-stream)`,
    });
  });
});

describe('onRequest', () => {
  it('is called after each connection or refusal', async () => {
    await using server = await startServer(inTurn(refuse('overloaded'), (r) => send(r, 200, {})));
    const infos: unknown[] = [];
    const listening = listen(server.url, {}, { onRequest: (info) => infos.push(info) });
    await expect(take(1, listening)).rejects.toMatchObject({ name: 'UnexpectedAnswerError' });
    expect(infos).toMatchObject([
      { method: 'GET', url: `${server.url}/admin-api/events`, status: 503, attempt: 1, error: { code: 'overloaded' } },
      { status: 200, attempt: 2, error: { name: 'UnexpectedAnswerError' } },
    ]);
  });
});

/** An event stream of these pieces, each created on demand. */
function streamed(pieces: Iterator<Uint8Array>): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { value, done } = pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
