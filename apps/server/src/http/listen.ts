// The HTTP server around the app: limits of the wire, and a stop that fails no request.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { AppError, type ErrorCode } from '@quarterdeck/core';
import type { KeyPair } from '@quarterdeck/core/tls';
import { continueOnRead, sendWaiting } from '@quarterdeck/express/parts';
import type { ConnectionGuard } from './connection-guard.ts';
import { HEAD_BYTES_MAX } from './request-head.ts';
import { HttpsServer } from './tls.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 1_000;
/** More than the 60 s of nginx: the side that sends the requests must be the one that closes idle connections. */
const KEEP_ALIVE_MS = 75_000;
const DRAIN_MS = 10_000;
/** Milliseconds for which idle connections stay open when the server stops: a request may be on its way. */
const GRACE_MS = 1_000;
/** Connections that the system keeps until they are accepted; Linux cuts it to `net.core.somaxconn`. */
const BACKLOG = 4_096;

/** Times, in milliseconds, that a test may replace. */
export interface ListenTimes {
  /** Time for the headers of a request, from its first byte or the opening of the connection. */
  readonly headersTimeoutMs?: number | undefined;
  /** Time that a connection stays open between two requests, as answers tell; 75 s otherwise. */
  readonly keepAliveMs?: number | undefined;
  /** Time without progress after which an answer that its client does not read is given up. */
  readonly sendTimeoutMs?: number | undefined;
  /** Time that idle connections are kept when the server stops. */
  readonly graceMs?: number | undefined;
  /** Time for answers in progress when the server stops; then all connections are closed. */
  readonly drainMs?: number | undefined;
}

export interface Listening {
  readonly port: number;
  /** The address it is bound to. */
  readonly address: string;
  /** Gives new TLS connections this certificate. @throws ConfigError that names the settings; the old one stays then */
  renew(pair: KeyPair): void;
  /** Stops accepting, finishes running answers, and resolves when the last connection is closed. */
  close(): Promise<void>;
}

/** An address to listen on, or a listening socket that this process has inherited. */
export type ListenPlace = { readonly host: string; readonly port: number } | { readonly fd: number };

/** Listens, for HTTPS if there is a key pair. Rejects if the address cannot be used. */
export async function listen(
  app: RequestListener,
  place: ListenPlace,
  guard: ConnectionGuard,
  times: ListenTimes = {},
  tls?: KeyPair,
): Promise<Listening> {
  const { headersTimeoutMs = HEADERS_TIMEOUT_MS, keepAliveMs = KEEP_ALIVE_MS } = times;
  const settings = {
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    requestTimeout: Math.max(REQUEST_TIMEOUT_MS, headersTimeoutMs),
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersTimeoutMs),
    maxHeaderSize: HEAD_BYTES_MAX,
    // Node would answer without a body; see requireHost.
    requireHostHeader: false,
  };
  const server = tls === undefined ? createServer(settings) : new HttpsServer(settings, tls);
  // Node would drop the headers beyond a thousand, such as a second Host.
  server.maxHeadersCount = 0;
  guard.attach(server);
  const take = (req: IncomingMessage, res: ServerResponse) => {
    if (guard.begin(req, res)) app(req, res);
  };
  server.on('request', take);
  // Otherwise Node would let the client send its body before anything is known about the request.
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    continueOnRead(req, res);
    take(req, res);
  });
  // Unknown expectations may be ignored (RFC 9110, 10.1.1); Node would answer 417 without a body.
  server.on('checkExpectation', take);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Finished answers leave first.
    sendWaiting();
    if (error.code === 'ECONNRESET') socket.destroy();
    else guard.answerAndClose(socket, new AppError(BY_CODE[error.code ?? ''] ?? 'bad_request'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // With a descriptor, Node reads the backlog from the argument alone.
    server.listen({ ...place, backlog: BACKLOG }, BACKLOG, resolve);
  });
  const { port: boundPort, address } = server.address() as AddressInfo;
  return {
    port: boundPort,
    address,
    renew: (pair) => server instanceof HttpsServer && server.renew(pair),
    close: () => close(server, guard, times),
  };
}

const BY_CODE: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Accepts the connections that wait, and no more. Kept-alive connections get a moment for a request that may be on its
 * way; its answer has `Connection: close`. Then connections are closed as they become idle, and all of them after the
 * deadline.
 */
async function close(
  server: Server,
  guard: ConnectionGuard,
  { graceMs = GRACE_MS, drainMs = DRAIN_MS }: ListenTimes,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  const stopListening = () => NetServer.prototype.close.call(server);
  // For Node, connections are idle while their request is unread, and as soon as their answer is complete. Its client
  // may not have taken it yet. The stop waits for such a client anyway.
  const closeIdle = () => {
    if (!guard.hasUnsent()) server.closeIdleConnections();
  };
  const deadline = setTimeout(() => {
    stopListening();
    server.closeAllConnections();
  }, drainMs);
  // The system resets connections that it has not handed over when the listening socket closes.
  await acceptWaiting(server);
  stopListening();
  const sweep = setInterval(() => afterReading(closeIdle), graceMs);
  await closed;
  clearTimeout(deadline);
  clearInterval(sweep);
}

/** Longest turn of the event loop, in milliseconds, in which hardly a connection arrives after the look for them. */
const SHORT_TURN_MS = 1;

/** Resolves when no connection waits to be accepted, or as many were accepted as can wait. */
function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  return new Promise((resolve) => {
    // Node accepts one connection in each turn of the loop.
    const endTurn = (acceptedBefore: number, startedMs: number) => {
      const nowMs = performance.now();
      const isLull = accepted === acceptedBefore && nowMs - startedMs <= SHORT_TURN_MS;
      if (isLull || accepted >= BACKLOG) resolve();
      else setImmediate(endTurn, accepted, nowMs);
    };
    // This turn may have polled already.
    setImmediate(endTurn, -1, performance.now());
  });
}

/** Calls `then` when all data that has arrived by now was read. */
function afterReading(then: () => void): void {
  // The loop polls between the first of these and the second.
  setImmediate(() => setImmediate(then));
}
