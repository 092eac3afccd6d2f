// Requests for each kind of error, each with another client, path and number.
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { BEHAVIOURS, FASTCGI } from './backends.ts';
import type { Places } from './nginx-conf.ts';

/** Provokes one error; resolves when nginx has had the time to log it. */
export type Provoke = (i: number) => Promise<void>;

const GIVE_UP_MS = 1_500;

/** One of 200 addresses of this machine. */
const client = (i: number) => `127.0.0.${2 + (i % 200)}`;

function settled(socket: Socket, act: (socket: Socket) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => socket.destroy(), GIVE_UP_MS);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    clearTimeout(timer);
    resolve();
  });
  socket.resume();
  act(socket);
  return promise;
}

/** Sends text and reads until nginx closes. */
const say = (port: number, i: number, text: string | Buffer): Promise<void> =>
  settled(connect({ port, host: '127.0.0.1', localAddress: client(i) }), (socket) => socket.write(text));

/** Sends text, waits a moment, and closes the connection without a word. */
const leave = (port: number, i: number, text: string, afterMs: number, how: 'end' | 'resetAndDestroy' = 'end') =>
  settled(connect({ port, host: '127.0.0.1', localAddress: client(i) }), (socket) => {
    if (text !== '') socket.write(text);
    setTimeout(() => socket[how](), afterMs);
  });

const shake = (port: number, i: number, options: ConnectionOptions) =>
  settled(
    connectTls({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ...options,
      localAddress: client(i),
    } as ConnectionOptions),
    (socket) => socket.write(`GET /files/${i} HTTP/1.0\r\nHost: tls.test\r\n\r\n`),
  );

/** Requests to provoke errors, each with its share of the total. */
export function provocations(p: Places): readonly (readonly [share: number, Provoke])[] {
  const get = (path: string, i: number, headers = '', host = 'shop.test', method = 'GET', body = '') =>
    say(p.http, i, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n${body}`);
  const raw =
    (text: (i: number) => string | Buffer): Provoke =>
    (i) =>
      say(p.http, i, text(i));
  const at =
    (path: string, host = 'shop.test'): Provoke =>
    (i) =>
      get(`${path}${i}?n=${i}`, i, i % 3 === 0 ? `Referer: http://${host}/from/${i}\r\n` : '', host);
  const basic = (name: string, password: string) =>
    `Authorization: Basic ${Buffer.from(`${name}:${password}`).toString('base64')}\r\n`;
  const sized = (i: number, path: string, length: number, method = 'POST') =>
    get(path, i, `Content-Length: ${length}\r\n`, 'shop.test', method, 'x'.repeat(Math.min(length, 9_000)));
  return [
    [30, at('/files/missing/')],
    [10, at('/files/missing/', 'api.test')],
    [4, (i) => get(`/files/%22quoted%22/${i}`, i)],
    [4, (i) => get(`/files/line%0Abreak/${i}`, i)],
    [4, (i) => get(`/files/%C3%A9t%C3%A9, client: 1.2.3.4/${i}`.replaceAll(' ', '%20'), i)],
    [5, (i) => get('/files/locked.html', i)],
    [5, (i) => get(`/files/${i % 5}/`, i)],
    [4, (i) => get(`/files/fine.html/${i}`, i)],
    [4, (i) => get(`/files/${'long'.repeat(70)}${i}`, i)],
    [3, (i) => get('/files/loop', i)],
    [4, (i) => get(`/index/none${i}/`, i)],
    [4, at('/cycle/')],
    [3, at('/redirects/')],
    [12, (i) => get(`/limited/${i}`, i % 7)],
    [3, (i) => get(`/dry/${i}`, i % 7)],
    [
      3,
      (i) =>
        Promise.all([get('/delayed/', 5), get('/delayed/', 5), get('/delayed/', 5)])
          .then(
            () => undefined,
            () => undefined,
          )
          .then(() => void i),
    ],
    [3, (i) => Promise.all([get('/places/', i), get('/places/', i)]).then(() => undefined)],
    [5, at('/denied/')],
    [4, (i) => get('/secret/', i, basic(`nobody${i}`, 'x'))],
    [4, (i) => get('/secret/', i, basic('ann', `wrong${i}`))],
    [3, (i) => get('/secret/', i)],
    [3, (i) => get('/no-passwords/', i, basic('ann', 'x'))],
    [3, at('/asked/')],
    [3, (i) => get(`/write/none${i}/x`, i, 'Content-Length: 1\r\n', 'shop.test', 'PUT', 'x')],
    [3, (i) => get(`/write/none${i}`, i, '', 'shop.test', 'DELETE')],
    [3, (i) => get(`/write/none${i}`, i, 'Destination: nowhere\r\n', 'shop.test', 'COPY')],
    [6, (i) => sized(i, `/upload/${i}`, 20_000 + i)],
    [4, (i) => sized(i, `/upload/${i}`, 5_000)],
    [
      3,
      (i) =>
        get(
          `/upload/${i}`,
          i,
          'Transfer-Encoding: chunked\r\n',
          'shop.test',
          'POST',
          `5000\r\n${'x'.repeat(0x5000)}\r\n0\r\n\r\n`,
        ),
    ],
    [3, (i) => get(`/upload/${i}`, i, 'Transfer-Encoding: chunked\r\n', 'shop.test', 'POST', 'zz\r\n')],
    [3, (i) => leave(p.http, i, `POST /upload/${i} HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 500\r\n\r\nx`, 20)],
    [2, (i) => say(p.http, i, `POST /upload/${i} HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 500\r\n\r\nx`)],
    [20, at('/refused/')],
    [8, at('/refused/', 'api.test')],
    [5, at('/dead/')],
    [4, (i) => get(`/named/?host=nobody${i}.example`, i)],
    [3, (i) => get(`/named/?host=broken${i}.example`, i)],
    [2, (i) => get(`/named/?host=slow${i}.example`, i)],
    [3, (i) => get('/named/', i)],
    [3, (i) => get(`/named/?host=${i}:port`, i)],
    [3, at('/warn-unset/')],
    [3, at('/plain-as-tls/')],
    [3, at('/self-signed/')],
    [3, at('/cgi-refused/')],
    ...Object.keys(FASTCGI).map((name) => [4, at(`/cgi/${name}/`)] as const),
    ...Object.keys(BEHAVIOURS)
      .filter((name) => name !== 'fine')
      .map((name) => [4, at(`/up/${name}/`)] as const),
    [3, at('/up/reset/', 'api.test')],
    [3, (i) => leave(p.http, i, `GET /up/silent/${i} HTTP/1.1\r\nHost: shop.test\r\n\r\n`, 20)],
    [3, (i) => leave(p.http, i, `GET /up/large/${i} HTTP/1.1\r\nHost: shop.test\r\n\r\n`, 5, 'resetAndDestroy')],
    [5, (i) => get(`/lua/throws?n=${i}`, i)],
    [5, (i) => get(`/lua/nil?n=${i}`, i)],
    [4, (i) => get(`/lua/log?n=${i}`, i)],
    [2, (i) => get(`/lua/crit?n=${i}`, i)],
    [2, (i) => get(`/lua/connect?n=${i}`, i)],
    [2, (i) => get(`/lua/slow?n=${i}`, i)],
    [3, (i) => get(`/lua/access?n=${i}`, i)],
    [2, (i) => get(`/lua/syntax?n=${i}`, i)],
    [4, raw((i) => `hello nginx ${i}\r\n\r\n`)],
    [3, raw((i) => `get /${i} HTTP/1.1\r\n\r\n`)],
    [3, raw((i) => `GET /${i} HTTP/9.${i % 10}\r\n\r\n`)],
    [3, raw((i) => `GET /${i} HTTP/1.1\r\n\r\n`)],
    [3, raw((i) => `GET /${i} HTTP/1.1\r\nHost: bad/${i}\r\n\r\n`)],
    [3, raw((i) => `GET /${i} HTTP/1.1\r\nHost: a\r\nHost: b${i}\r\n\r\n`)],
    [3, raw((i) => `GET /${i} HTTP/1.1\r\nHost: shop.test\r\nbad header ${i}\r\nConnection: close\r\n\r\n`)],
    [3, raw((i) => `POST /${i} HTTP/1.1\r\nHost: shop.test\r\nContent-Length: x${i}\r\n\r\n`)],
    [2, raw((i) => `POST /${i} HTTP/1.1\r\nHost: shop.test\r\nTransfer-Encoding: odd${i}\r\n\r\n`)],
    [
      2,
      raw(
        (i) => `POST /${i} HTTP/1.1\r\nHost: shop.test\r\nTransfer-Encoding: chunked\r\nContent-Length: ${i}\r\n\r\n`,
      ),
    ],
    [3, raw((i) => `GET /${'u'.repeat(3_000)}${i} HTTP/1.1\r\nHost: shop.test\r\n\r\n`)],
    [3, raw((i) => `GET /${i} HTTP/1.1\r\nHost: shop.test\r\nX-Long: ${'v'.repeat(3_000)}\r\n\r\n`)],
    [2, raw((i) => `TRACE /${i} HTTP/1.1\r\nHost: shop.test\r\n\r\n`)],
    [2, raw((i) => `CONNECT shop.test:${i} HTTP/1.1\r\nHost: shop.test\r\n\r\n`)],
    [2, raw((i) => Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3, i & 255, 13, 10]))],
    [2, raw((i) => `GET /../../${i} HTTP/1.1\r\nHost: shop.test\r\n\r\n`)],
    [2, raw((i) => `GET /%00${i} HTTP/1.1\r\nHost: shop.test\r\n\r\n`)],
    [2, (i) => say(p.http, i, `GET /files/fine.html HTTP/1.1\r\nHost: sh`)],
    [3, (i) => leave(p.http, i, `GET /files/fine.html HTTP/1.1\r\nHost: sh`, 20)],
    [5, (i) => leave(p.http, i, 'GET /files/fine.html HTTP/1.1\r\nHost: shop.test\r\n\r\n', 50)],
    [3, (i) => say(p.tls, i, `GET /plain/${i} HTTP/1.1\r\nHost: tls.test\r\n\r\n`)],
    [2, (i) => say(p.tls, i, `hello ${i}\r\n`)],
    [2, (i) => leave(p.tls, i, '', 20)],
    [2, (i) => say(p.tls, i, '')],
    [3, (i) => shake(p.tls, i, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' })],
    [3, (i) => shake(p.tls, i, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })],
    [3, (i) => shake(p.tls, i, { rejectUnauthorized: true, servername: 'tls.test' })],
    [3, (i) => shake(p.tls, i, {})],
    [3, (i) => shake(p.oldTls, i, {})],
    [3, (i) => say(p.proxied, i, `GET /${i} HTTP/1.1\r\n\r\n`)],
    [
      3,
      (i) =>
        say(
          p.proxied,
          i,
          `PROXY TCP4 192.0.2.${i % 250} 192.0.2.1 ${1024 + i} 80\r\nGET /proxied/${i} HTTP/1.0\r\nHost: proxied.test\r\n\r\n`,
        ),
    ],
    [4, (i) => say(p.stream, i, 'hello')],
  ];
}
