// The TCP side of the syslog receiver: reads sockets and delivers messages. It processes a slice of each connection in
// turn, and regularly yields to the event loop.
import type { Socket } from 'node:net';
import { SyslogStream } from './syslog-stream.ts';

/** Receives a message that arrived `times` times in a row; `bytes` is valid only during the call. */
export type Receive = (bytes: Uint8Array, lostBytes: number, address: string, times: number) => void;

/**
 * Maximum cost of the slice of one connection: some 64 tiny lines. All slices before the event loop continues may cost
 * some 1,000 lines, a few milliseconds. See {@link SyslogStream.take}.
 */
const CONNECTION_COST = 16 * 1024;
const ROUND_COST = 256 * 1024;

/** Number of waiting streams at which a closed connection is processed to its end at once, to free its memory. */
const CLOSED_MAX = 256;

/** The open TCP connections, which pause and resume together. */
export class TcpConnections {
  readonly #open = new Map<Socket, SyslogStream>();
  readonly #idleTimeoutMs: number;
  readonly #receive: Receive;
  /** Streams with waiting bytes, the longest waiting first; the socket is undefined if it has closed. */
  readonly #waiting = new Map<SyslogStream, Socket | undefined>();
  #round: NodeJS.Immediate | undefined;
  #paused = false;

  constructor(idleTimeoutMs: number, receive: Receive) {
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#receive = receive;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Adds a paused socket of a sender; `first` holds bytes that were already read from it. */
  accept(socket: Socket, address: string, first?: Uint8Array): void {
    const stream = new SyslogStream((bytes, lostBytes, times) => this.#receive(bytes, lostBytes, address, times));
    this.#open.set(socket, stream);
    socket.setKeepAlive(true, 60_000);
    socket.on('data', (chunk: Buffer) => {
      socket.pause();
      this.#add(socket, stream, chunk);
    });
    socket.on('close', () => this.#closed(socket, stream));
    // The event 'close' follows a broken connection and keeps the received bytes.
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => {
      // First reads what arrived in time while the process was stalled.
      setImmediate(() => {
        if (this.#paused || stream.isWaiting) socket.setTimeout(this.#idleTimeoutMs);
        else socket.destroy();
      });
    });
    socket.setTimeout(this.#idleTimeoutMs);
    if (first !== undefined && first.length > 0) this.#add(socket, stream, first);
    else if (!this.#paused) socket.resume();
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    clearImmediate(this.#round);
    this.#round = undefined;
    for (const socket of this.#open.keys()) socket.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    for (const [socket, stream] of this.#open) if (!stream.isWaiting) socket.resume();
    this.#schedule();
  }

  /** Processes all received bytes and closes the connections. */
  close(): void {
    clearImmediate(this.#round);
    for (const [socket, stream] of this.#open) {
      this.#finish(socket, stream);
      socket.destroy();
    }
    for (const stream of this.#waiting.keys()) stream.end();
    this.#waiting.clear();
  }

  #add(socket: Socket, stream: SyslogStream, bytes: Uint8Array): void {
    stream.add(bytes);
    this.#waiting.set(stream, socket);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#round !== undefined || this.#paused || this.#waiting.size === 0) return;
    this.#round = setImmediate(() => {
      this.#round = undefined;
      this.#processRound();
      this.#schedule();
    });
  }

  #processRound(): void {
    let left = ROUND_COST;
    const mayGoOn = () => !this.#paused;
    for (const [stream, socket] of this.#waiting) {
      if (left <= 0 || this.#paused) return;
      left -= stream.take(CONNECTION_COST, mayGoOn);
      this.#waiting.delete(stream);
      // Move it to the end, after the other waiting streams. The loop reaches it again.
      if (stream.isWaiting) this.#waiting.set(stream, socket);
      else if (socket === undefined) stream.end();
      else if (!this.#paused) socket.resume();
    }
  }

  #closed(socket: Socket, stream: SyslogStream): void {
    if (!this.#open.has(socket)) return;
    if (stream.isWaiting && this.#waiting.size < CLOSED_MAX) {
      this.#leave(socket, stream);
      this.#waiting.set(stream, undefined);
    } else this.#finish(socket, stream);
  }

  /** Processes all received bytes; the last line of a stream is often unterminated. */
  #finish(socket: Socket, stream: SyslogStream): void {
    this.#leave(socket, stream);
    this.#waiting.delete(stream);
    stream.end();
  }

  /** A paused socket may still hold bytes. */
  #leave(socket: Socket, stream: SyslogStream): void {
    this.#open.delete(socket);
    const rest: unknown = socket.read();
    if (rest instanceof Uint8Array) stream.add(rest);
  }
}
