// Connections that a client would hold forever, over real sockets.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
  const allClosed = () => expect.poll(() => guard.stats().open).toBe(0);
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

  it.each([
    [0, 1],
    [3, 4],
    [100, 30],
  ])('whose client goes on sending after its last answer %i times is closed after %i pauses', async (sends, pauses) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { promise: asked, resolve } = Promise.withResolvers<Socket>();
    await using api = await start((req, res) => {
      resolve(req.socket);
      res.setHeader('Connection', 'close').end('done');
    });
    await using client = await openRaw(api.port, REQUEST, STUBBORN);
    const socket = await asked;
    await client.ended;
    let looks = 0;
    for (; !socket.destroyed; looks += 1) {
      const { bytesRead } = socket;
      if (looks < sends) {
        client.socket.write('x');
        await expect.poll(() => socket.bytesRead).toBeGreaterThan(bytesRead);
      }
      vi.advanceTimersByTime(5);
      await nextTurn();
    }
    expect(looks).toBe(pauses);
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
    const answered = Promise.withResolvers<void>();
    const sendLarge: RequestListener = (_req, res) => {
      res.writeHead(200, headers).end(LARGE);
      answered.resolve();
    };
    // Counts from the opening of the connection: longer than a stall of the process before it reads the request.
    await using api = await start(sendLarge, { sendTimeoutMs: 1_000 });
    await using client = await openRaw(api.port, '', STUBBORN);
    client.socket.pause();
    client.socket.write(REQUEST);
    await answered.promise;
    await api.allClosed();
  });

  it('between two requests is closed by an end, and not reset when one more request comes', async () => {
    const asked: unknown[] = [];
    const answer: RequestListener = (req, res) => {
      asked.push(req.url);
      res.end('done');
    };
    await using api = await start(answer, { keepAliveMs: 1, lingerMs: 30_000 });
    await using client = await openRaw(api.port, REQUEST, STUBBORN);
    const errors: unknown[] = [];
    client.socket.on('error', (error) => errors.push(error));
    await client.ended;
    // It cannot be answered any more, so it is not carried out either.
    client.socket.end(`POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`);
    await once(client.socket, 'close');
    expect([errors, asked]).toEqual([[], ['/']]);
    expect(client.text()).toMatch(/\r\nKeep-Alive: timeout=0\r\n.*done$/s);
    await api.allClosed();
  });

  it('stays open for a first request that came in time, however busy the server was', async () => {
    await using api = await start((_req, res) => res.end('done'), { sendTimeoutMs: 1_000 });
    await using client = await openRaw(api.port);
    // The server accepts it.
    await nextTurn();
    client.socket.write(REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    for (const endMs = performance.now() + 1_200; performance.now() < endMs; );
    await client.ended;
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 .*done$/s);
  });

  it('between two requests stays open for a request that came in time, however busy the server was', async () => {
    await using api = await start((_req, res) => res.end('done'), { keepAliveMs: 1 });
    await using client = await openRaw(api.port);
    client.socket.once('data', () => {
      client.socket.write(REQUEST);
      // The second that idle connections get beyond their time ends before the server has read the request.
      const endMs = performance.now() + 1_200;
      while (performance.now() < endMs);
    });
    client.socket.write(REQUEST);
    await expect.poll(() => client.text().match(/done/g)).toHaveLength(2);
  });

  it.each([
    ['that the server closes', {}, 'Connection: close\r\n'],
    ['that the client wants closed', { Connection: 'close' }, ''],
  ])('%s is not reset by a body that still arrives', async (_which, headers, line) => {
    await using api = await start(
      (_req, res) => res.writeHead(401, { ...headers, 'Content-Length': 7 }).end('refused'),
      { lingerMs: 30_000 },
    );
    const bytes = 8 * 1024 * 1024;
    const head = `POST / HTTP/1.1\r\nHost: x\r\n${line}Content-Length: ${bytes}\r\n\r\n`;
    expect(await sendRaw(api.port, head, Buffer.alloc(bytes))).toMatchObject([{ status: 401 }]);
    await api.allClosed();
  });

  it('hears of each of its requests when it closes, also of those that wait for their turn', async () => {
    const closed: unknown[] = [];
    const asked: unknown[] = [];
    await using api = await start((req, res) => {
      asked.push(req.url);
      res.once('close', () => closed.push(req.url));
    });
    const client = await openRaw(api.port, REQUEST.repeat(20));
    await expect.poll(() => asked).toHaveLength(20);
    client.socket.destroy();
    await expect.poll(() => closed).toHaveLength(20);
  });

  it('is not closed while the server works on an answer, however long', async () => {
    await using api = await start(({ socket }, res) => {
      socket.setTimeout(1).once('timeout', () => res.end('at last'));
    });
    await using client = await openRaw(api.port, REQUEST);
    await expect.poll(() => client.text()).toContain('at last');
  });
});

describe('while the server works on answers for all ordinary slots', () => {
  it('one more connection gets a reserved slot, for one request', async () => {
    const asked: Restriction[] = [];
    await using api = await start((req) => void asked.push(restrictionOf(req)), { max: 10 });
    const clients: RawConnection[] = [];
    for (let count = 1; count <= 11; count += 1) {
      clients.push(await openRaw(api.port, REQUEST));
      await expect.poll(() => asked, { interval: 2 }).toHaveLength(count);
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
      await expect.poll(() => asked, { interval: 2 }).toHaveLength(count);
    }
    const refused = await openRaw(api.port, REQUEST);
    await refused.ended;
    const [answer] = parseAnswers(refused.text());
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^[1-5]$/), connection: 'close' },
    });
    expect(answer?.body).toContain('"code":"overloaded"');
    expect(asked).toHaveLength(ordinary + reserved);
    expect(api.guard.stats()).toMatchObject({ open: ordinary + reserved, refused: 1 });
  });
});

describe('a server that stops', () => {
  /** Longer than the limit of a test. */
  const UNLIMITED_MS = 3_600_000;

  it('closes a connection whose request is never answered, after the deadline', async () => {
    const arrived = Promise.withResolvers<void>();
    const { server, port } = await start(() => arrived.resolve());
    await using client = await openRaw(port, REQUEST);
    await arrived.promise;
    await server.close();
    await client.ended;
    expect(client.text()).toBe('');
  });

  it('closes a connection whose client reads nothing of an answer, after the deadline', async () => {
    const answered = Promise.withResolvers<void>();
    const sendLarge: RequestListener = (_req, res) => {
      res.end(LARGE);
      answered.resolve();
    };
    const { server, port } = await start(sendLarge, { sendTimeoutMs: UNLIMITED_MS });
    await using client = await openRaw(port);
    client.socket.pause();
    client.socket.write(REQUEST);
    await answered.promise;
    await expect(server.close()).resolves.toBeUndefined();
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

  it('sends a finished answer to its end, however slowly the client reads it', async () => {
    const answered = Promise.withResolvers<void>();
    const sendLarge: RequestListener = (_req, res) => {
      res.end(LARGE);
      answered.resolve();
    };
    const { server, port } = await start(sendLarge, { drainMs: UNLIMITED_MS });
    await using client = await openRaw(port);
    client.socket.pause();
    client.socket.write(REQUEST);
    await answered.promise;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = server.close();
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersToNextTimer();
    // Now idle connections are closed.
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    client.socket.resume();
    await expect.poll(() => client.text().length).toBeGreaterThan(LARGE.length);
    vi.advanceTimersToNextTimer();
    await client.ended;
    await closed;
  });

  it('answers requests that arrived before the end, though the server was too busy to accept or read them', async () => {
    const { server, port } = await start((_req, res) => res.end('done'), { drainMs: 60_000 });
    await using known = await openRaw(port);
    // Node accepts one connection in each turn of the loop.
    const unknown = Array.from({ length: 50 }, () => connect(port, '127.0.0.1').setEncoding('utf8'));
    for (const socket of unknown) socket.write(REQUEST);
    // Now the system connects.
    await new Promise((resolve) => process.nextTick(resolve));
    const closed = server.close();
    known.socket.write(REQUEST);
    for (const busySinceMs = performance.now(); performance.now() < busySinceMs + 50; );
    const answers = await Promise.all(unknown.map((socket) => text(socket)));
    expect(answers.filter((answer) => answer.includes('done'))).toHaveLength(unknown.length);
    await known.ended;
    expect(known.text()).toContain('done');
    await closed;
  });
});
