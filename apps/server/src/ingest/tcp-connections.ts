// The TCP side of the syslog receiver: sockets in, messages out. What arrives is taken apart in turns: a little of each
// connection, then a little of each again, and now and then the event loop for everybody else.
import type { Socket } from 'node:net';
import { SyslogStream } from './syslog-stream.ts';

/** Takes a message that came `times` times in a row; `bytes` is valid only during the call. */
export type Receive = (bytes: Uint8Array, lostBytes: number, address: string, times: number) => void;

/**
 * Costs of what is taken of one connection before the next has its turn, and of all before everybody else has: some 64 tiny
 * lines, and some 1,000, which is a few milliseconds. See {@link SyslogStream.take}.
 */
const CONNECTION_COST = 16 * 1024;
const TURN_COST = 256 * 1024;

/** While so many streams wait, one whose connection has closed is taken to its end at once: its bytes cost memory. */
const CLOSED_MAX = 256;

/** The open TCP connections, which pause and go on together. */
export class TcpConnections {
  readonly #open = new Map<Socket, SyslogStream>();
  readonly #idleTimeoutMs: number;
  readonly #receive: Receive;
  /** Streams with bytes that wait, the one that has waited longest first; without a socket where that has closed. */
  readonly #waiting = new Map<SyslogStream, Socket | undefined>();
  #turn: NodeJS.Immediate | undefined;
  #paused = false;

  constructor(idleTimeoutMs: number, receive: Receive) {
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#receive = receive;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes a paused socket of a sender; `first` has come on it already. */
  accept(socket: Socket, address: string, first?: Uint8Array): void {
    const stream = new SyslogStream((bytes, lostBytes, times) => this.#receive(bytes, lostBytes, address, times));
    this.#open.set(socket, stream);
    socket.setKeepAlive(true, 60_000);
    socket.on('data', (chunk: Buffer) => {
      socket.pause();
      this.#add(socket, stream, chunk);
    });
    socket.on('close', () => this.#closed(socket, stream));
    // A broken connection is no event of ours: 'close' follows and keeps what had arrived.
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => {
      if (this.#paused || stream.isWaiting) socket.setTimeout(this.#idleTimeoutMs);
      else socket.destroy();
    });
    socket.setTimeout(this.#idleTimeoutMs);
    if (first !== undefined && first.length > 0) this.#add(socket, stream, first);
    else if (!this.#paused) socket.resume();
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    clearImmediate(this.#turn);
    this.#turn = undefined;
    for (const socket of this.#open.keys()) socket.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    for (const [socket, stream] of this.#open) if (!stream.isWaiting) socket.resume();
    this.#schedule();
  }

  /** Takes all that has arrived, however much, and closes. */
  close(): void {
    clearImmediate(this.#turn);
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
    if (this.#turn !== undefined || this.#paused || this.#waiting.size === 0) return;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#takeTurn();
      this.#schedule();
    });
  }

  #takeTurn(): void {
    let left = TURN_COST;
    const mayGoOn = () => !this.#paused;
    for (const [stream, socket] of this.#waiting) {
      if (left <= 0 || this.#paused) return;
      left -= stream.take(CONNECTION_COST, mayGoOn);
      this.#waiting.delete(stream);
      // To the end: others are waiting too. The loop comes back to it.
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

  /** Takes all that has arrived; the last line of a stream often lacks its end. */
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
