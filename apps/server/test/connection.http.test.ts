// Malformed bytes on a connection: every answer is the server's own, not Node's.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failuresOf } from './failures.ts';
import { sendRaw } from './raw-socket.ts';
import { PASSWORD, startApi, type TestApi } from './start-api.ts';

const KIB = 1024;
const LOGIN = '/admin-api/user/login';
const TOKENS = '/admin-api/api_token';
const ERRLOG = '/admin-api/log_server/errlog';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { expectRawFailure } = failuresOf(() => api);

describe('a connection', () => {
  const close = 'Host: x\r\nConnection: close\r\n';
  const send = (...parts: (string | Buffer)[]) => sendRaw(api.server.port, ...parts);
  const SMUGGLED = 'GET /admin-api/user/me HTTP/1.1\r\nHost: x\r\n\r\n';

  it.each<[string, string | Buffer]>([
    ['noise', 'NOISE\r\n\r\n'],
    ['bytes', Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10])],
    ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/9.9', `GET /healthz HTTP/9.9\r\n${close}\r\n`],
    ['a header without a colon', `GET /healthz HTTP/1.1\r\n${close}nonsense\r\n\r\n`],
    ['a header with a space before its colon', `GET /healthz HTTP/1.1\r\n${close}X-A : b\r\n\r\n`],
    ['a folded header', `GET /healthz HTTP/1.1\r\n${close}X-A: b\r\n c\r\n\r\n`],
    ['NUL in a header', `GET /healthz HTTP/1.1\r\n${close}X-A: a\0b\r\n\r\n`],
    ['a bare carriage return in a header', `GET /healthz HTTP/1.1\r\n${close}X-A: a\rb\r\n\r\n`],
    ['a path that is not ASCII', `GET /h\u00e9 HTTP/1.1\r\n${close}\r\n`],
    ['a space in the path', `GET /a b HTTP/1.1\r\n${close}\r\n`],
    ['an unknown method', `BREW /healthz HTTP/1.1\r\n${close}\r\n`],
    [
      'a length and chunks',
      `POST ${LOGIN} HTTP/1.1\r\n${close}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'chunks and a length',
      `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ['two lengths', `POST ${LOGIN} HTTP/1.1\r\n${close}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `],
    ['a length with a sign', `POST ${LOGIN} HTTP/1.1\r\n${close}Content-Length: +2\r\n\r\n{}`],
    ['a negative length', `POST ${LOGIN} HTTP/1.1\r\n${close}Content-Length: -1\r\n\r\n{}`],
    [
      'a length beyond all numbers',
      `POST ${LOGIN} HTTP/1.1\r\n${close}Content-Length: 99999999999999999999999\r\n\r\n{}`,
    ],
    ['an unknown transfer coding', `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    [
      'chunks that are not the last coding',
      `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a chunk without a size',
      `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'a chunk of another size',
      `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'a chunk extension that does not end',
      `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}`,
    ],
    ['no version', 'GET /healthz\r\n\r\n'],
    ...['0.9', '1.2', '2.0', '3.0'].map((version): [string, string] => [
      `HTTP/${version}`,
      `GET /healthz HTTP/${version}\r\n${close}\r\n`,
    ]),
    ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', `GET /healthz HTTP/1.1\r\nhOST: x\r\n${close}\r\n`],
    ['two Hosts over HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n'],
    ...['', 'a b', 'a, b', 'a/b', 'a@b', 'a:b', 'a:1:2', '::1', '[::1', '[a]', '[]', 'h\u00e9', '%zz', 'http://a'].map(
      (host): [string, string] => [
        `${JSON.stringify(host)} for a Host`,
        `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      ],
    ),
    ['a malformed Host over HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a/b\r\n\r\n'],
    ['a fragment in the path', `GET /healthz#x HTTP/1.1\r\n${close}\r\n`],
    ['a path of another scheme', `GET ftp://x/healthz HTTP/1.1\r\n${close}\r\n`],
    ['a whole address without a host', `GET http:///healthz HTTP/1.1\r\n${close}\r\n`],
    ['a whole address with a user', `GET http://a@x/healthz HTTP/1.1\r\n${close}\r\n`],
  ])('with %s is answered with 400 and closed', async (_name, bytes) => {
    const answers = await send(bytes);
    expect(answers).toHaveLength(1);
    expectRawFailure(answers, 400, 'bad_request');
  });

  it.each([
    ['a header', `GET /healthz HTTP/1.1\r\n${close}X-A: ${'a'.repeat(8 * KIB)}\r\n\r\n`],
    ['many headers', `GET /healthz HTTP/1.1\r\n${close}${'X-A: b\r\n'.repeat(2_000)}\r\n`],
    ['a path', `GET /${'a'.repeat(8 * KIB)} HTTP/1.1\r\n${close}\r\n`],
    ['a header that does not end', `GET /healthz HTTP/1.1\r\n${close}X-A: ${'a'.repeat(100_000)}`],
  ])('with %s of more than 8 KiB is answered with 431 and closed', async (_name, bytes) => {
    const answers = await send(bytes);
    expect(answers).toHaveLength(1);
    expectRawFailure(answers, 431, 'headers_too_large');
  });

  it('of HTTP/1.0 needs no Host', async () => {
    expect(await send('GET /healthz HTTP/1.0\r\n\r\n')).toMatchObject([{ status: 200, body: '{"status":0}' }]);
  });

  it.each([
    'x',
    'x:7080',
    'x:',
    '127.0.0.1:80',
    '[::1]',
    '[::ffff:192.0.2.1]:7080',
    'a_b.example',
    '%41',
    "a!$&'()*+,;=b",
  ])('may have %s for a Host', async (host) => {
    const answers = await send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answers).toMatchObject([{ status: 200, body: '{"status":0}' }]);
  });

  it.each([
    ['http://x/healthz', 200],
    ['HTTP://other:80/healthz?a=b', 200],
    ['http://x/admin-api/user/me', 401],
    // Failures come with 200 here.
    ['http://x/api/v1/user/me', 200],
    ['http://x', 200],
    ['http://x?a=b', 200],
    ['http://x//healthz', 404],
    ['http://x/METRICS', 404],
  ])('may ask for the whole address %s', async (target, status) => {
    const answers = await send(`GET ${target} HTTP/1.1\r\n${close}\r\n`);
    expect(answers).toMatchObject([{ status }]);
  });

  it('with an expectation that nobody knows is answered', async () => {
    const answers = await send(`GET /healthz HTTP/1.1\r\n${close}Expect: elephants\r\n\r\n`);
    expect(answers).toMatchObject([{ status: 200, body: '{"status":0}' }]);
  });

  it('that waits for 100-continue gets it', async () => {
    const head = `POST ${LOGIN} HTTP/1.1\r\n${close}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
    const answers = await send(head, '{}');
    expect(answers.map(({ status }) => status)).toEqual([100, 400]);
  });

  it('ignores an upgrade', async () => {
    const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n';
    expect(await send(`GET /healthz HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`)).toMatchObject([{ status: 200 }]);
    expect(await send('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toEqual([]);
  });

  it('answers requests sent in one go in their order', async () => {
    const token = `edge-token: ${api.adminToken}\r\n`;
    const requests = ['/readyz', '/nope', '/admin-api/user/me', '/healthz'].map((path, i, { length }) => {
      const rest = i === length - 1 ? 'Connection: close\r\n' : '';
      return `GET ${path} HTTP/1.1\r\nHost: x\r\n${token}${rest}\r\n`;
    });
    const answers = await send(...requests);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200]);
    expect(JSON.parse(answers[2]?.body ?? '').data.username).toBe('admin');
  });

  it('brings the answer to a request before malformed input', async () => {
    const answers = await send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 'NOISE\r\n\r\n');
    expect(answers).toMatchObject([{ status: 200, body: '{"status":0}' }]);
  });

  it('never reads a body as the next request', async () => {
    for (const path of ['/nope', LOGIN, TOKENS, '/healthz']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n`;
      const answers = await send(head, SMUGGLED, `GET /healthz HTTP/1.1\r\n${close}\r\n`);
      expect(answers).toHaveLength(2);
      expect(answers[0]?.status).toBeGreaterThanOrEqual(400);
      expect(answers[1]).toMatchObject({ status: 200, body: '{"status":0}' });
    }
  });

  it('answers hundreds of requests sent in one go, each with its own answer', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => `request-${i}`);
    const requests = ids.map((id, i) => {
      const rest = i === ids.length - 1 ? 'Connection: close\r\n' : '';
      return `GET /admin-api/user/me HTTP/1.1\r\nHost: x\r\nedge-token: ${api.adminToken}\r\nX-Request-Id: ${id}\r\n${rest}\r\n`;
    });
    const answers = await send(...requests);
    expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(ids);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('may bring a body byte by byte', async () => {
    const text = JSON.stringify({ username: 'admin', password: PASSWORD });
    const chunks = [...text].map((character) => `1\r\n${character}\r\n`).join('');
    const head = `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\n`;
    expect(await send(head, chunks, '0\r\n\r\n')).toMatchObject([{ status: 200 }]);
  });

  it('may break off at any point', async () => {
    const body = JSON.stringify({ level: 4, log: 'never sent to its end' });
    const head = `POST ${ERRLOG} HTTP/1.1\r\nHost: x\r\nedge-token: ${api.adminToken}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const whole = head + body;
    const cuts = Array.from({ length: 40 }, (_, i) => Math.floor(((i + 1) * (whole.length - 1)) / 40));
    await Promise.all(
      cuts.map(
        (cut) =>
          new Promise<void>((resolve) => {
            const socket = connect(api.server.port, '127.0.0.1');
            socket.on('error', () => {});
            socket.once('close', () => resolve());
            socket.write(whole.slice(0, cut), () => socket.destroy());
          }),
      ),
    );
    const { data } = await api.admin.errlog.list({ query: { page_size: 10_000 } });
    expect(data.filter(({ log }) => log.startsWith('never sent'))).toEqual([]);
  });

  it('goes on after a body without an announced length that was too large', async () => {
    const large = `${(5 * KIB).toString(16)}\r\n${'x'.repeat(5 * KIB)}\r\n`.repeat(400);
    const head = `POST ${LOGIN} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answers = await send(head, large, '0\r\n\r\n', `GET /healthz HTTP/1.1\r\n${close}\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([413, 200]);
  });

  it('with an event stream is closed when more input arrives', async () => {
    const socket = connect(api.server.port, '127.0.0.1');
    const received: string[] = [];
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received.push(chunk.toString());
      // The stream has begun.
      if (received.length === 1) socket.write('NOISE\r\n\r\n');
    });
    socket.write(`GET /admin-api/events HTTP/1.1\r\nHost: x\r\nedge-token: ${api.adminToken}\r\n\r\n`);
    await closed;
    expect(received.join('').match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(received.join('')).not.toContain('"err"');
  });

  it('has not hurt the server', async () => {
    expect((await api.fetch('/healthz')).status).toBe(200);
    const errors = api.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
    expect(errors.map(({ msg, code }) => [msg, code])).toEqual([]);
  });
});
