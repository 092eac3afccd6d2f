// The HTTP server around the app: limits of the wire, and a stop that fails no request.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { AppError, type ErrorCode } from '@quarterdeck/core';
import { sendWaiting } from '@quarterdeck/express/parts';
import type { KeyPair } from '../net/tls.ts';
import type { ConnectionGuard } from './connection-guard.ts';
import { HttpsServer } from './tls.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 1_000;
const HEADER_BYTES_MAX = 8 * 1024;
const DRAIN_MS = 10_000;
/** Milliseconds for which idle connections stay open when the server stops: a request may be on its way. */
const GRACE_MS = 300;
/** Connections that the system keeps until they are accepted; Linux cuts it to `net.core.somaxconn`. */
const BACKLOG = 4_096;

/** Times, in milliseconds, that a test may replace. */
export interface ListenTimes {
  /** Time for the headers of a request, from its first byte or the opening of the connection. */
  readonly headersTimeoutMs?: number | undefined;
  /** Time that idle connections are kept when the server stops. */
  readonly graceMs?: number | undefined;
  /** Time for answers in progress when the server stops; then all connections are closed. */
  readonly drainMs?: number | undefined;
}

/** A listening server. */
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
  const { headersTimeoutMs = HEADERS_TIMEOUT_MS } = times;
  const settings = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersTimeoutMs),
    maxHeaderSize: HEADER_BYTES_MAX,
    // Node would answer without a body; see requireHost.
    requireHostHeader: false,
  };
  const server = tls === undefined ? createServer(settings) : new HttpsServer(settings, tls);
  guard.attach(server);
  const take = (req: IncomingMessage, res: ServerResponse) => {
    if (guard.begin(req, res)) app(req, res);
  };
  server.on('request', take);
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
    close: () => close(server, times),
  };
}

const BY_CODE: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Stops accepting at once. Kept-alive connections get a moment for a request that may be on its way; its answer has
 * `Connection: close`. Then connections are closed as they become idle, and all of them after the deadline.
 */
async function close(server: Server, { graceMs = GRACE_MS, drainMs = DRAIN_MS }: ListenTimes): Promise<void> {
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
  const sweep = setInterval(() => server.closeIdleConnections(), graceMs);
  await closed;
  clearTimeout(deadline);
  clearInterval(sweep);
}
