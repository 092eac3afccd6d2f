// Keeps the connections of an HTTP server within their bounds, so that no client can keep others out.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AppError, failure } from '@quarterdeck/core';
import { ANSWER_HEADERS, closeWithConnection } from '@quarterdeck/express/parts';
import { RateLimitedReport } from '@quarterdeck/intake';
import type { Logger } from 'pino';
import { type ConnectionBounds, Connections, type Slot } from './connections.ts';
import { HttpsServer } from './tls.ts';

/** Milliseconds after which a connection is closed when its client reads nothing of an answer. */
const SEND_TIMEOUT_MS = 30_000;
/**
 * Milliseconds without input after which a connection is closed whose last answer is sent. A client that still sends
 * its request would lose the answer.
 */
const LINGER_MS = 1_000;
/** ... and such pauses at most: the client may send for as long as that. */
const LINGERS_MAX = 30;

/** Counts of a guard: `open` and `credentialed` are now, the others since the start. */
export interface ConnectionStats {
  readonly open: number;
  readonly credentialed: number;
  readonly evicted: number;
  readonly refused: number;
}

export interface GuardOptions extends ConnectionBounds {
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sendTimeoutMs?: number | undefined;
  readonly lingerMs?: number | undefined;
}

/** Guard of each connection, for the functions below. */
const guards = new WeakMap<Socket, ConnectionGuard>();

/** Notes that a request has shown a valid credential: its connection is not closed to make room for others. */
export function noteCredential(req: IncomingMessage): void {
  guards.get(req.socket)?.noteCredential(req.socket);
}

/** Notes that a request was refused because its connection has a reserved slot. */
export function noteRefusal(req: IncomingMessage): void {
  guards.get(req.socket)?.noteRefusal();
}

/** Restriction that the guard puts on an answer. */
export interface Restriction {
  /** Only the paths that are always answered are allowed. */
  readonly isReserved: boolean;
  /** The connection must not be kept for another request. */
  readonly mustClose: boolean;
}

/** Restriction of a request; none without a guard. */
export function restrictionOf(req: IncomingMessage): Restriction {
  return guards.get(req.socket)?.restrictionOf(req.socket) ?? { isReserved: false, mustClose: false };
}

export class ConnectionGuard {
  readonly #options: GuardOptions;
  readonly #connections: Connections<Socket>;
  /** Answer to the last request of each connection. */
  readonly #answers = new WeakMap<Socket, ServerResponse>();
  readonly #slots = new WeakMap<Socket, Slot>();
  readonly #evictions: RateLimitedReport;
  readonly #refusals: RateLimitedReport;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#connections = new Connections(options, (socket) => this.#isWaiting(socket));
    const report = (message: string) =>
      new RateLimitedReport((count, total) =>
        options.log.warn({ count, total, open: this.#connections.size }, message),
      );
    this.#evictions = report('connections closed to make room for others');
    this.#refusals = report('connections refused: as many are open as may be');
  }

  /** Guards a server. Call it before the server listens. */
  attach(server: Server): void {
    server.setTimeout(this.#options.sendTimeoutMs ?? SEND_TIMEOUT_MS);
    server.on('timeout', (socket: Socket) => this.#onTimeout(socket));
    server.on('connection', (socket: Socket) => this.#open(socket, server instanceof HttpsServer));
    if (server instanceof HttpsServer) server.onSecure = (below, secure) => this.#replace(below, secure);
  }

  /** Notes a request before its answer. Returns false if its connection is being closed: do not answer it then. */
  begin(req: IncomingMessage, res: ServerResponse): boolean {
    const { socket } = req;
    closeWithConnection(res);
    const slot = socket.writable ? this.#connections.begin(socket, performance.now()) : undefined;
    if (slot === undefined) {
      // Unread input would reset the connection.
      req.resume();
      return false;
    }
    this.#answers.set(socket, res);
    this.#slots.set(socket, slot);
    return true;
  }

  noteCredential(socket: Socket): void {
    this.#connections.noteCredential(socket);
  }

  restrictionOf(socket: Socket): Restriction {
    const isReserved = this.#slots.get(socket) === 'reserved';
    return { isReserved, mustClose: isReserved || this.#connections.isCrowded(socket) };
  }

  noteRefusal(): void {
    this.#refusals.count();
  }

  /** Answers a malformed request, unless it has its answer, and closes the connection. */
  answerAndClose(socket: Socket, refusal: AppError): void {
    // More input after the last answer: it is dropped until the connection is closed.
    if (!socket.writable) return;
    const answer = this.#answers.get(socket);
    const isAnswered = answer?.headersSent === true && (!answer.writableFinished || !answer.req.complete);
    // Within an unfinished answer (an event stream) another one would read as a part of it.
    if (isAnswered && !answer.writableEnded) socket.destroy();
    else this.#closeGently(socket, isAnswered ? '' : answerText(refusal, this.#options.now()));
  }

  /** True while a client has not taken all of a complete answer. */
  hasUnsent(): boolean {
    return this.#connections.sockets().some((socket) => {
      const answer = this.#answers.get(socket);
      return answer?.writableEnded === true && (!answer.writableFinished || socket.writableLength > 0);
    });
  }

  stats(): ConnectionStats {
    return {
      open: this.#connections.size,
      credentialed: this.#connections.credentialed,
      evicted: this.#evictions.total,
      refused: this.#refusals.total,
    };
  }

  /** Logs the remaining counts. */
  close(): void {
    this.#evictions.close();
    this.#refusals.close();
  }

  /** Moves the bookkeeping of a connection to the socket above TLS, on which its requests arrive. */
  #replace(below: Socket, secure: TLSSocket): void {
    this.#connections.replace(below, secure);
    this.#take(secure, this.#slots.get(below));
  }

  #take(socket: Socket, slot: Slot | undefined): void {
    guards.set(socket, this);
    // Node calls this after an answer with `Connection: close`. Its own method closes the connection at once.
    socket.destroySoon = () => this.#closeGently(socket);
    if (slot !== undefined) this.#slots.set(socket, slot);
    socket.once('close', () => this.#connections.remove(socket));
  }

  #open(socket: Socket, isBelowTls: boolean): void {
    const { slot, evicted } = this.#connections.open(socket, socket.remoteAddress ?? '', performance.now());
    for (const one of evicted) drop(one);
    if (evicted.length > 0) this.#evictions.count(evicted.length);
    if (slot === undefined) {
      this.#refusals.count();
      // A TLS client can read no answer before its handshake.
      if (!isBelowTls) socket.write(answerText(new AppError('overloaded'), this.#options.now()));
      socket.destroySoon();
      return;
    }
    this.#take(socket, slot);
  }

  /**
   * Closes this side after everything written and `last`. Input is read and dropped for a moment: with unread input a
   * close would reset the connection, and the client could lose the answer.
   */
  #closeGently(socket: Socket, last = ''): void {
    if (!socket.writable) return;
    socket.end(last);
    // The peer may never close its side.
    let { bytesRead } = socket;
    let pauses = 0;
    const look = () => {
      pauses += 1;
      if (socket.bytesRead === bytesRead || pauses >= LINGERS_MAX) socket.destroy();
      else timer.refresh();
      bytesRead = socket.bytesRead;
    };
    // Input that arrived while this process was busy is read before the look.
    const timer = setTimeout(() => setImmediate(look), this.#options.lingerMs ?? LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  }

  /** True between two requests. */
  #isIdle(socket: Socket): boolean {
    const answer = this.#answers.get(socket);
    return answer?.writableFinished === true && answer.req.complete && socket.writableLength === 0;
  }

  /** Closes a connection on which nothing moves, once what came while this process was busy is read and written. */
  #onTimeout(socket: Socket): void {
    const { bytesRead, writableLength } = socket;
    setImmediate(() => {
      if (socket.bytesRead !== bytesRead || socket.writableLength < writableLength) return;
      if (this.#isIdle(socket)) this.#closeGently(socket);
      // Otherwise the server works on the answer, or waits for the rest of a request, which has its own time limit.
      else if (this.#answers.get(socket)?.writableEnded !== false || socket.writableLength > 0) drop(socket);
    });
  }

  /** True while the server waits for the client: for a request, for the rest of one, or until it takes the answer. */
  #isWaiting(socket: Socket): boolean {
    const answer = this.#answers.get(socket);
    return answer === undefined || answer.writableEnded || !answer.req.complete;
  }
}

/** Closes a connection at once: unread data would occupy the system's memory for minutes. */
function drop(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

const HEADER_LINES = Object.entries(ANSWER_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** Builds a refusal in the usual envelope, for a client whose request is not read. */
function answerText(refusal: AppError, nowMs: number): string {
  const id = randomUUID();
  const body = JSON.stringify(failure(refusal, id, nowMs));
  const retry = refusal.retryAfterS === undefined ? '' : `Retry-After: ${refusal.retryAfterS}\r\n`;
  return (
    `HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${HEADER_LINES}X-Request-Id: ${id}\r\n${retry}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
