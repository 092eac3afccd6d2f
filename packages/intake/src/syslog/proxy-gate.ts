// Admits TCP connections before their messages are read. With the PROXY protocol, a trusted proxy must first send the
// address of its client, and no other peer may.
import type { Socket } from 'node:net';
import { addressWithin, plainAddress } from '@quarterdeck/core/addresses';
import { readProxyHeader } from './proxy-protocol.ts';

/**
 * Admits a paused socket. `onAdmitted` gets the socket, paused again, the address of the sender, and the bytes that
 * were read after the header.
 */
export type AdmitSocket = (
  socket: Socket,
  onAdmitted: (socket: Socket, address: string, first: Buffer) => void,
) => void;

export interface ProxyGateOptions {
  /** Address blocks of the proxies, separated by spaces. */
  readonly trusted: string;
  /** Is called for each refused connection with the reason and the address of its socket. */
  readonly onRefused: (reason: string, address: string) => void;
  /** Time limit for the header of a proxy. */
  readonly headerTimeoutMs?: number | undefined;
  /** Time limit for the first bytes of any other peer. */
  readonly idleTimeoutMs: number;
}

const HEADER_TIMEOUT_MS = 10_000;
const NOTHING = Buffer.alloc(0);

const senderOf = (socket: Socket) => plainAddress(socket.remoteAddress ?? '') ?? 'unknown';

/** Admits every socket. */
export const admitAll: AdmitSocket = (socket, onAdmitted) => onAdmitted(socket, senderOf(socket), NOTHING);

/** Requires the header from trusted proxies and refuses it from others. */
export class ProxyGate {
  readonly #options: ProxyGateOptions;
  readonly #waiting = new Set<Socket>();

  constructor(options: ProxyGateOptions) {
    this.#options = options;
  }

  readonly admit: AdmitSocket = (socket, onAdmitted) => {
    const { trusted, onRefused, headerTimeoutMs = HEADER_TIMEOUT_MS, idleTimeoutMs } = this.#options;
    const sender = senderOf(socket);
    const isProxy = addressWithin(sender, trusted);
    let read = NOTHING;

    const refuse = (reason: string) => {
      onRefused(reason, sender);
      socket.destroy();
    };
    const admit = (address: string, first: Buffer) => {
      leave();
      socket.pause();
      onAdmitted(socket, address, first);
    };
    const onData = (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      const begin = readProxyHeader(read);
      if (begin === undefined) return;
      if (begin.kind === 'malformed') refuse('its PROXY header is malformed');
      else if (begin.kind === 'none') isProxy ? refuse('it sent no PROXY header') : admit(sender, read);
      else if (!isProxy) refuse('it sent a PROXY header and is not trusted');
      else admit(begin.address ?? sender, read.subarray(begin.bytes));
    };
    const onEnd = () => {
      // A port probe sends nothing.
      if (read.length === 0) socket.destroy();
      else if (isProxy) refuse('its PROXY header is not complete');
      // The bytes are too short for a header, but may be a message.
      else admit(sender, read);
    };
    const onTimeout = () => (isProxy ? refuse('it sent no PROXY header in time') : socket.destroy());
    // The deadline covers the whole header, however slowly its bytes arrive. First reads what arrived in time while the
    // process was stalled.
    const deadline = setTimeout(
      () => setImmediate(() => this.#waiting.has(socket) && onTimeout()),
      isProxy ? headerTimeoutMs : idleTimeoutMs,
    );
    const leave = () => {
      clearTimeout(deadline);
      this.#waiting.delete(socket);
      socket.off('data', onData).off('end', onEnd).off('close', leave);
    };

    this.#waiting.add(socket);
    // The event 'close' follows.
    socket.on('error', () => socket.destroy());
    socket.on('data', onData).on('end', onEnd).on('close', leave);
    socket.resume();
  };

  /** Closes connections that were not admitted yet. */
  close(): void {
    for (const socket of this.#waiting) socket.destroy();
  }
}
