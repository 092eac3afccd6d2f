// Programs beside the gateway of one host, on 127.0.0.1 only:
// - a name server: every name has the address 127.0.0.1, but names that begin with "missing" do not exist
// - a backend on port 9002, and a stranger that may take the gateway's port 8080. Requests to port 9003 start and stop
//   them: /PORT/on, /PORT/off
// - a backend on port 9004 that accepts no connection, and whose queue of connections is full: it never answers
import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

const HEADER = 12;
const TYPE_A = 1;
const NO_SUCH_NAME = 3;
const socket = createSocket('udp4');

socket.on('message', (query, { port, address }) => {
  // A name ends with an empty part; its type and class follow.
  const end = query.indexOf(0, HEADER) + 5;
  const isMissing = query.includes('missing');
  const isAddress = query.readUInt16BE(end - 4) === TYPE_A && !isMissing;
  const answer = Buffer.from([0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  const code = isMissing ? NO_SUCH_NAME : 0;
  const header = Buffer.from([0, 0, 0x81, 0x80 + code, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]);
  query.copy(header, 0, 0, 2);
  const question = query.subarray(HEADER, end);
  socket.send(Buffer.concat([header, question, ...(isAddress ? [answer] : [])]), port, address);
});
socket.bind(53, '127.0.0.1');

/** Listens on a port with the shortest queue, and then waits for ever instead of accepting connections. */
const DEAF = `
const { parentPort } = require('node:worker_threads');
require('node:net').createServer().listen(9004, '127.0.0.1', 1, () => {
  parentPort.postMessage('listening');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;
new Worker(DEAF, { eval: true }).once('message', () => {
  // Two connections fill the queue; further ones wait until nginx gives up.
  for (let i = 0; i < 4; i += 1) connect(9004, '127.0.0.1').on('error', () => undefined);
});

const CONTROL = 9003;
const servers = new Map<number, Server>();

function start(port: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = createServer((_, res) => res.end('ok\n')).listen(port, '127.0.0.1', resolve);
  servers.set(port, server);
  return promise;
}

function stop(port: number): void {
  const server = servers.get(port);
  server?.close();
  server?.closeAllConnections();
}

createServer(async ({ url = '' }, res) => {
  const [, port = '', state] = url.split('/');
  if (state === 'on') await start(Number(port));
  else stop(Number(port));
  res.end();
}).listen(CONTROL, '127.0.0.1');
await start(9002);
