// The HTTP server around the app: limits of the wire, and a stop that fails nobody.

import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { AppError, type ErrorCode, failure } from '@quarterdeck/core';
import type { KeyPair } from '../net/tls.ts';
import { sendWaiting } from './send.ts';
import { HttpsServer } from './tls.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 1_000;
const HEADER_BYTES_MAX = 8 * 1024;
const CONNECTIONS_MAX = 2_000;
const DRAIN_MS = 10_000;
/** How long an idle connection is kept when the server stops; a request may be on its way on it. */
const GRACE_MS = 300;

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** The address it is bound to. */
  readonly address: string;
  /** With TLS, new connections get this certificate. @throws ConfigError that names the settings; then the old one stays */
  renew(pair: KeyPair): void;
  /** Stops accepting, lets what is being answered finish, and resolves when the last connection is gone. */
  close(): Promise<void>;
}

/** Listens, for HTTPS where there is a key pair. Rejects where the address cannot be had. */
export async function listen(
  app: RequestListener,
  host: string,
  port: number,
  now: () => number,
  graceMs = GRACE_MS,
  tls?: KeyPair,
): Promise<Listening> {
  const settings = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
    // Node would answer without a body; see requireHost.
    requireHostHeader: false,
  };
  const server = tls === undefined ? createServer(settings) : new HttpsServer(settings, tls);
  server.maxConnections = CONNECTIONS_MAX;
  server.on('request', app);
  // Expectations that nobody knows may be ignored (RFC 9110, 10.1.1); Node would answer 417 without a body.
  server.on('checkExpectation', app);
  const answers = new WeakMap<Socket, ServerResponse>();
  server.on('request', (req, res) => answers.set(req.socket, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // What is answered already goes out before this.
    sendWaiting();
    const answer = answers.get(socket);
    // In the middle of an answer (an event stream) another one would be taken for a part of it.
    if (answer?.headersSent === true && !answer.writableFinished) socket.destroy();
    else answerBroken(error, socket, now);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: boundPort, address } = server.address() as AddressInfo;
  return {
    ...{ port: boundPort, address },
    renew: (pair) => server instanceof HttpsServer && server.renew(pair),
    close: () => close(server, graceMs),
  };
}

const BY_CODE: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what is not HTTP, or too slow, in the same envelope as everything else. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket, now: () => number): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = new AppError(BY_CODE[error.code ?? ''] ?? 'bad_request');
  const id = randomUUID();
  const body = JSON.stringify(failure(refusal, id, now()));
  socket.end(
    `HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Cache-Control: no-store\r\nX-Request-Id: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/**
 * Stops accepting at once. Connections that are kept alive get a moment for the request that may be on its way; its
 * answer says `Connection: close`. Then idle ones are closed as they become idle, and after the deadline all.
 */
async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  const sweep = setInterval(() => server.closeIdleConnections(), graceMs);
  await closed;
  clearTimeout(deadline);
  clearInterval(sweep);
}
