// Malformed bytes on a connection: every answer is the server's own, not Node's.
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { failuresOf } from './failures.ts';
import { sendRaw } from './raw-socket.ts';
import { PASSWORD, useApi } from './start-api.ts';

const KIB = 1024;
const LOGIN = '/admin-api/user/login';
const TOKENS = '/admin-api/api_token';
const ERRLOG = '/admin-api/log_server/errlog';

const api = useApi();
afterAll(async () => {
  // Nothing of all this hurts the server.
  expect((await api.fetch('/healthz')).status).toBe(200);
  expect(api.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)).toEqual([]);
});

const { expectRawFailure } = failuresOf(() => api);

describe('a connection', () => {
  const close = 'Host: x\r\nConnection: close\r\n';
  const send = (...parts: (string | Buffer)[]) => sendRaw(api.server.port, ...parts);
  const SMUGGLED = 'GET /admin-api/user/me HTTP/1.1\r\nHost: x\r\n\r\n';

  it.each<[string, string | Buffer]>(
    nonEmpty([
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
      ['chunks twice', `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
      ['an empty transfer coding', `POST ${LOGIN} HTTP/1.1\r\n${close}Transfer-Encoding:\r\n\r\n`],
      ['chunks over HTTP/1.0', `POST ${LOGIN} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      ['no version', 'GET /healthz\r\n\r\n'],
      ...['0.9', '1.2', '2.0', '3.0'].map((version): [string, string] => [
        `HTTP/${version}`,
        `GET /healthz HTTP/${version}\r\n${close}\r\n`,
      ]),
      ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
      ['two Hosts', `GET /healthz HTTP/1.1\r\nhOST: x\r\n${close}\r\n`],
      ['two Hosts over HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n'],
      ...[
        '',
        'a b',
        'a, b',
        'a/b',
        'a@b',
        'a:b',
        'a:1:2',
        '::1',
        '[::1',
        '[a]',
        '[]',
        'h\u00e9',
        '%zz',
        'http://a',
      ].map((host): [string, string] => [
        `${JSON.stringify(host)} for a Host`,
        `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      ]),
      ['a malformed Host over HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a/b\r\n\r\n'],
      ['a fragment in the path', `GET /healthz#x HTTP/1.1\r\n${close}\r\n`],
      ['a path of another scheme', `GET ftp://x/healthz HTTP/1.1\r\n${close}\r\n`],
      ['a whole address without a host', `GET http:///healthz HTTP/1.1\r\n${close}\r\n`],
      ['a whole address with a user', `GET http://a@x/healthz HTTP/1.1\r\n${close}\r\n`],
    ]),
  )('with %s is answered with 400 and closed', async (_name, bytes) => {
    const answers = await send(bytes);
    expect(answers).toHaveLength(1);
    expectRawFailure(answers, 400, 'bad_request');
  });

  it.each(
    nonEmpty(['gzip', 'xchunked', 'identity', 'gzip, chunked', 'deflate,gzip,CHUNKED', 'chunked;q=1', '"chunked"']),
  )('with the transfer coding %s is answered with 501 and closed', async (coding) => {
    for (const [method, path] of [
      ['POST', LOGIN],
      ['GET', '/healthz'],
      ['POST', '/v1/logs'],
    ]) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      const answers = await send(`${head}0\r\n\r\n${SMUGGLED}`);
      expect(answers).toHaveLength(1);
      expectRawFailure(answers, 501, 'coding_not_implemented');
      expect(answers[0]?.headers['connection']).toBe('close');
    }
  });

  /** A request whose head has exactly this many bytes. `fill` is repeated, and the last header takes the rest. */
  const headOf = (bytes: number, fill = '') => {
    const begin = `GET /healthz HTTP/1.1\r\n${close}`;
    const rest = bytes - begin.length - 'Z: \r\n\r\n'.length;
    const count = fill === '' ? 0 : Math.floor((rest - 1) / fill.length);
    return `${begin}${fill.repeat(count)}Z: ${'z'.repeat(rest - count * fill.length)}\r\n\r\n`;
  };

  it.each([
    ['one long header', ''],
    ['headers of one letter', 'a: b\r\n'],
    ['headers without a value', 'a: \r\n'],
  ])('may have a head of 16 KiB, and no more: %s', async (_name, fill) => {
    expect(await send(headOf(16 * KIB, fill))).toMatchObject([{ status: 200 }]);
    for (const bytes of [16 * KIB + 1, 17 * KIB, 64 * KIB]) {
      const answers = await send(headOf(bytes, fill));
      expect(answers).toHaveLength(1);
      expectRawFailure(answers, 431, 'headers_too_large');
    }
  });

  it.each([
    ['a path', `GET /${'a'.repeat(16 * KIB)} HTTP/1.1\r\n${close}\r\n`],
    ['a header that does not end', `GET /healthz HTTP/1.1\r\n${close}X-A: ${'a'.repeat(100_000)}`],
    ['headers that do not end', `GET /healthz HTTP/1.1\r\n${close}${'X-A: b\r\n'.repeat(20_000)}`],
  ])('with %s of more than 16 KiB is answered with 431 and closed', async (_name, bytes) => {
    const answers = await send(bytes);
    expect(answers).toHaveLength(1);
    expectRawFailure(answers, 431, 'headers_too_large');
  });

  it('has no header that is left out, however many there are', async () => {
    const many = 'a:\r\n'.repeat(1_500);
    expectRawFailure(await send(`GET /healthz HTTP/1.1\r\n${close}${many}Host: y\r\n\r\n`), 400, 'bad_request');
    const me = `GET /admin-api/user/me HTTP/1.1\r\n${close}${many}edge-token: ${api.adminToken}\r\n\r\n`;
    expect(await send(me)).toMatchObject([{ status: 200 }]);
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

  describe('that waits for 100-continue', () => {
    const expecting = (line: string, headers: string) =>
      `${line} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n${headers}\r\n`;
    const token = () => `edge-token: ${api.adminToken}\r\n`;
    const BODY = '{"name":"after a wait"}';
    const length = (bytes: number) => `Content-Length: ${bytes}\r\n`;

    it.each([
      ['by its length', () => length(BODY.length), BODY],
      ['in chunks', () => 'Transfer-Encoding: chunked\r\n', `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`],
    ])('gets it once its request is known to be good, and the connection is kept: %s', async (_name, headers, body) => {
      const head = expecting(`POST ${TOKENS}`, token() + headers());
      const next = `GET /healthz HTTP/1.1\r\n${close}\r\n`;
      expect((await send(head, body, next)).map(({ status }) => status)).toEqual([100, 200, 200]);
    });

    it.each<[name: string, line: string, headers: () => string, bytes: number, status: number]>([
      ['without a credential', `POST ${TOKENS}`, () => '', 60_000, 401],
      ['with a credential that is not valid', `POST ${ERRLOG}`, () => 'API-Token: x\r\n', 60_000, 401],
      ['without a credential for OTLP', 'POST /v1/logs', () => '', 60_000, 401],
      ['over the limit', `POST ${TOKENS}`, token, 64 * KIB + 1, 413],
      ['over the limit of a sign-in', `POST ${LOGIN}`, () => '', 5_000, 413],
      ['over the limit of lines', `POST ${ERRLOG}`, token, 9 * KIB * KIB, 413],
      ['of another type', `POST ${TOKENS}`, () => `Content-Type: text/plain\r\n${token()}`, 60_000, 415],
      ['at an unknown path', 'POST /nope', () => '', 60_000, 404],
      ['with a method that the path lacks', `PATCH ${TOKENS}`, token, 60_000, 405],
      ['for an answer that needs no body', 'GET /healthz', () => '', 60_000, 200],
    ])('does not get it %s, and the connection is closed', async (_name, line, headers, bytes, status) => {
      const head = expecting(line, headers() + length(bytes));
      // No body follows, and the server does not wait for one.
      const answers = await send(head);
      expect(answers.map((answer) => [answer.status, answer.headers['connection']])).toEqual([[status, 'close']]);
      // A client that sends it anyway still reads the answer.
      expect((await send(head, Buffer.alloc(bytes))).map((answer) => answer.status)).toEqual([status]);
    });

    it('does not get it where the caller may not', async () => {
      const viewer = await api.person('viewer');
      const head = expecting('POST /admin-api/user', `edge-token: ${viewer.token}\r\n${length(5)}`);
      expect((await send(head)).map(({ status }) => status)).toEqual([403]);
    });

    it('is ignored over HTTP/1.0', async () => {
      const head = `POST ${LOGIN} HTTP/1.0\r\nExpect: 100-continue\r\n${length(2)}\r\n{}`;
      expect((await send(head)).map(({ status }) => status)).toEqual([400]);
    });
  });

  it('ignores an upgrade', async () => {
    const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n';
    expect(await send(`GET /healthz HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`)).toMatchObject([{ status: 200 }]);
    expect(await send('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toEqual([]);
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

  it('answers hundreds of requests sent in one go in their order, each with its own answer', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => `request-${i}`);
    const paths = ['/readyz', '/nope', '/admin-api/user/me', '/healthz'];
    const requests = ids.map((id, i) => {
      const rest = i === ids.length - 1 ? 'Connection: close\r\n' : '';
      return `GET ${paths[i % 4]} HTTP/1.1\r\nHost: x\r\nedge-token: ${api.adminToken}\r\nX-Request-Id: ${id}\r\n${rest}\r\n`;
    });
    const answers = await send(...requests);
    expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(ids);
    expect(answers.map(({ status }) => status)).toEqual(ids.map((_, i) => (i % 4 === 1 ? 404 : 200)));
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
});
