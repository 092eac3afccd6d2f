// The TCP side of the syslog receiver: sockets in, messages out.
import type { Socket } from 'node:net';
import { SyslogFraming } from './syslog-framing.ts';

/** Takes one message; `bytes` is valid only during the call. */
export type Receive = (bytes: Uint8Array, lostBytes: number, address: string) => void;

/** The open TCP connections, which pause and go on together. */
export class TcpConnections {
  readonly #open = new Map<Socket, () => void>();
  readonly #idleTimeoutMs: number;
  readonly #receive: Receive;
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
    const framing = new SyslogFraming((bytes, lostBytes) => this.#receive(bytes, lostBytes, address));
    const finish = () => {
      // The last line of a stream often lacks its end, and a paused socket may still hold bytes.
      if (!this.#open.delete(socket)) return;
      const rest: unknown = socket.read();
      if (rest instanceof Uint8Array) framing.push(rest);
      framing.end();
    };
    this.#open.set(socket, finish);
    if (first !== undefined) framing.push(first);
    socket.setKeepAlive(true, 60_000);
    socket.on('data', (chunk) => framing.push(chunk));
    socket.on('close', finish);
    // A broken connection is no event of ours: 'close' follows and keeps what had arrived.
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => {
      if (this.#paused) socket.setTimeout(this.#idleTimeoutMs);
      else socket.destroy();
    });
    socket.setTimeout(this.#idleTimeoutMs);
    if (!this.#paused) socket.resume();
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    for (const socket of this.#open.keys()) socket.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    for (const socket of this.#open.keys()) socket.resume();
  }

  close(): void {
    for (const [socket, finish] of this.#open) {
      finish();
      socket.destroy();
    }
  }
}
