// Connections that a client would hold forever, over real sockets.
import type { RequestListener } from 'node:http';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { openRaw, parseAnswers, type RawConnection, sendRaw } from '../../test/raw-socket.ts';
import { ConnectionGuard, type GuardOptions, type Restriction, restrictionOf } from './connection-guard.ts';
import { type Listening, type ListenTimes, listen } from './listen.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
/** More bytes than the system buffers for a client that does not read. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);
/** Clients that never close their side. */
const STUBBORN = { allowHalfOpen: true };

/** A server around `app` with short time limits. */
async function start(app: RequestListener, times: ListenTimes & Partial<GuardOptions> = {}) {
  const log = pino({ level: 'silent' });
  const guard = new ConnectionGuard({ max: 100, maxPerAddress: 100, log, now: Date.now, lingerMs: 5, ...times });
  const server: Listening = await listen(app, { host: '127.0.0.1', port: 0 }, guard, {
    graceMs: 5,
    drainMs: 5,
    ...times,
  });
  const allClosed = () => vi.waitFor(() => expect(guard.stats().open).toBe(0), { timeout: 5_000 });
  return { server, port: server.port, guard, allClosed, [Symbol.asyncDispose]: () => server.close() };
}

const unreached: RequestListener = () => {
  throw new Error('this is no request');
};

describe('a connection', () => {
  it.each([
    ['half a request', 'GET / HTTP/1.1\r\nHost: x\r\n', 408],
    ['nothing', '', 408],
    ['noise', 'NOISE\r\n\r\n', 400],
    ['too large a header', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}`, 431],
  ])(
    'over which %s comes is answered and closed, though the client does not close it',
    async (_what, bytes, status) => {
      await using api = await start(unreached, { headersTimeoutMs: 50 });
      await using client = await openRaw(api.port, bytes, STUBBORN);
      await client.ended;
      expect(client.text()).toContain(`HTTP/1.1 ${status} `);
      await api.allClosed();
    },
  );

  it('gets the answer to malformed input although more follows', async () => {
    await using api = await start(unreached, { lingerMs: 30_000 });
    const [answer, ...others] = await sendRaw(api.port, 'NOISE\r\n\r\n', Buffer.alloc(8 * 1024 * 1024));
    expect([answer?.status, others.length]).toEqual([400, 0]);
    await api.allClosed();
  });

  it('is closed after an answer with `Connection: close`, even if the client keeps it open', async () => {
    await using api = await start((_req, res) => res.setHeader('Connection', 'close').end('done'));
    await using client = await openRaw(api.port, REQUEST, STUBBORN);
    await client.ended;
    await api.allClosed();
  });

  it.each([
    ['', {}],
    [', also when it is to be closed after it', { Connection: 'close' }],
  ])('is closed when the client takes nothing of an answer%s', async (_what, headers) => {
    await using api = await start((_req, res) => res.writeHead(200, headers).end(LARGE), { sendTimeoutMs: 50 });
    await using client = await openRaw(api.port, '', STUBBORN);
    client.socket.pause();
    client.socket.write(REQUEST);
    await vi.waitFor(() => expect(api.guard.stats().open).toBe(1));
    await api.allClosed();
  });

  it('is not closed while the server works on an answer, however long', async () => {
    await using api = await start(({ socket }, res) => {
      socket.setTimeout(1).once('timeout', () => res.end('at last'));
    });
    await using client = await openRaw(api.port, REQUEST);
    await vi.waitFor(() => expect(client.text()).toContain('at last'));
  });
});

describe('while the server works on answers for all ordinary slots', () => {
  it('one more connection gets a reserved slot, for one request', async () => {
    const asked: Restriction[] = [];
    await using api = await start((req) => void asked.push(restrictionOf(req)), { max: 10 });
    const clients: RawConnection[] = [];
    for (let count = 1; count <= 11; count += 1) {
      clients.push(await openRaw(api.port, REQUEST));
      await vi.waitFor(() => expect(asked).toHaveLength(count), { interval: 2 });
    }
    expect(asked.slice(0, 10)).toEqual(Array(10).fill({ isReserved: false, mustClose: false }));
    expect(asked[10]).toEqual({ isReserved: true, mustClose: true });
    expect(clients.map(({ socket }) => socket.destroyed)).toEqual(Array(11).fill(false));
  });

  it('and for all reserved ones, one more connection is refused without reading its request', async () => {
    const ordinary = 10;
    const reserved = 8;
    const asked: unknown[] = [];
    await using api = await start((req) => void asked.push(req.url), { max: ordinary });
    for (let count = 1; count <= ordinary + reserved; count += 1) {
      await openRaw(api.port, REQUEST);
      await vi.waitFor(() => expect(asked).toHaveLength(count), { interval: 2 });
    }
    const refused = await openRaw(api.port, REQUEST);
    await refused.ended;
    const [answer] = parseAnswers(refused.text());
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } });
    expect(answer?.body).toContain('"code":"overloaded"');
    expect(asked).toHaveLength(ordinary + reserved);
    expect(api.guard.stats()).toMatchObject({ open: ordinary + reserved, refused: 1 });
  });
});

describe('a server that stops', () => {
  // Without the deadline it would wait for these connections without end.
  const LIMIT_MS = 10_000;

  it('closes a connection whose request is never answered, after the deadline', { timeout: LIMIT_MS }, async () => {
    const arrived = Promise.withResolvers<void>();
    const { server, port } = await start(() => arrived.resolve());
    await using client = await openRaw(port, REQUEST);
    await arrived.promise;
    await server.close();
    await client.ended;
    expect(client.text()).toBe('');
  });

  it('closes a connection whose client reads nothing of an answer, after the deadline', {
    timeout: LIMIT_MS,
  }, async () => {
    const answered = Promise.withResolvers<void>();
    const { server, port } = await start((_req, res) => {
      res.end(LARGE);
      answered.resolve();
    });
    await using client = await openRaw(port);
    client.socket.pause();
    client.socket.write(REQUEST);
    await answered.promise;
    await server.close();
  });

  it('lets an answer finish that takes less than the deadline', async () => {
    const arrived = Promise.withResolvers<() => void>();
    const { server, port } = await start((_req, res) => arrived.resolve(() => res.end('done')), { drainMs: 60_000 });
    await using client = await openRaw(port, REQUEST);
    const finish = await arrived.promise;
    const closed = server.close();
    finish();
    await closed;
    await client.ended;
    expect(client.text()).toContain('done');
  });
});
