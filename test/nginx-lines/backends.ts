// Upstreams that misbehave, each in one way, so that nginx reports errors.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Reaction of an upstream to the first bytes it receives. */
export type Behaviour = (socket: Socket, i: number) => void;

const OK = 'HTTP/1.1 200 OK\r\n';

/** Behaviour by name; the names are the paths below `/up/`. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  fine: (socket) => socket.end(`${OK}Content-Length: 2\r\n\r\nok`),
  silent: () => undefined,
  reset: (socket) => socket.resetAndDestroy(),
  close: (socket) => socket.end(),
  short: (socket) => socket.end(`${OK}Content-Length: 5000\r\n\r\nonly this`),
  stall: (socket) => socket.write(`${OK}Content-Length: 5000\r\n\r\nonly this`),
  'reset-body': (socket) =>
    socket.write(`${OK}Content-Length: 5000\r\n\r\nx`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
  'bad-header': (socket, i) => socket.end(`${OK}no colon here ${i}\r\n\r\nx`),
  'no-http': (socket, i) => socket.end(`hello ${i}, this is no HTTP\r\n`),
  'big-header': (socket, i) => socket.end(`${OK}X-Big: ${'x'.repeat(20_000 + i)}\r\n\r\nx`),
  'two-lengths': (socket) => socket.end(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`),
  'bad-length': (socket, i) => socket.end(`${OK}Content-Length: x${i}\r\n\r\nx`),
  'bad-chunk': (socket) => socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
  'odd-coding': (socket) => socket.end(`${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`),
  'too-much': (socket) => socket.end(`${OK}Content-Length: 1\r\n\r\nmore than one`),
  large: (socket) => socket.end(`${OK}Content-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`),
  'bad-redirect': (socket) => socket.end(`${OK}X-Accel-Redirect: /missing/accel\r\nContent-Length: 0\r\n\r\n`),
};

/** Encodes one record of FastCGI. */
function fastcgi(type: number, content: string): Buffer {
  const body = Buffer.from(content);
  return Buffer.concat([Buffer.from([1, type, 0, 1, body.length >> 8, body.length & 255, 0, 0]), body]);
}
const STDOUT = 6;
const STDERR = 7;
const END = 3;
const DONE = '\0\0\0\0\0\0\0\0';
const EMPTY_PAGE = fastcgi(STDOUT, 'Status: 200 OK\r\nContent-Type: text/plain\r\n\r\nx');

/** Answers of a FastCGI server, valid and invalid. */
export const FASTCGI: Readonly<Record<string, Behaviour>> = {
  warning: (socket, i) =>
    socket.end(
      Buffer.concat([
        fastcgi(STDERR, `PHP message: PHP Warning:  Undefined array key "k${i}" in /srv/shop.php on line ${i % 90}`),
        EMPTY_PAGE,
        fastcgi(END, DONE),
      ]),
    ),
  fatal: (socket, i) =>
    socket.end(
      Buffer.concat([
        fastcgi(
          STDERR,
          `PHP message: PHP Fatal error:  Uncaught RuntimeException: no order ${i} in /srv/order.php:${i % 90}\nStack trace:\n#0 /srv/index.php(${i % 50}): Shop->order(${i})\n#1 {main}\n  thrown in /srv/order.php on line ${i % 90}`,
        ),
        EMPTY_PAGE,
        fastcgi(END, DONE),
      ]),
    ),
  unknown: (socket) =>
    socket.end(
      Buffer.concat([
        fastcgi(STDERR, 'Primary script unknown'),
        fastcgi(STDOUT, 'Status: 404 Not Found\r\n\r\n'),
        fastcgi(END, DONE),
      ]),
    ),
  other: (socket) => socket.end(Buffer.from([9, 9, 0, 1, 0, 0, 0, 0])),
  closes: (socket) => socket.end(),
};

/** An open port with a given behavior; closed by `close`. */
export interface Backend {
  readonly port: number;
  close(): void;
}

/** Starts an upstream on a free port. */
export async function startBackend(behaviour: Behaviour): Promise<Backend> {
  let i = 0;
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('data', () => behaviour(socket, i++));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** A name server without any names; a query for a name with `slow` gets no answer. */
export async function startNameServer(): Promise<Backend> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    if (query.includes('slow')) return;
    const answer = Buffer.from(query);
    // A response with code 3, no such name, or 2, server failure.
    answer.writeUInt16BE(query.includes('broken') ? 0x8182 : 0x8183, 2);
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}
