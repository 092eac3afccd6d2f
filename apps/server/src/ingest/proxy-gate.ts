// Lets TCP connections in before their messages are read. With the PROXY protocol, a trusted proxy says first who connected
// to it, and nobody else may.
import type { Socket } from 'node:net';
import { addressWithin, plainAddress } from '../net/address-blocks.ts';
import { readProxyHeader } from './proxy-protocol.ts';

/**
 * Lets a paused socket in. `onAdmitted` is called with the sender's address, and the bytes that were read already and are
 * not part of a header; the socket is paused then.
 */
export type AdmitSocket = (
  socket: Socket,
  onAdmitted: (socket: Socket, address: string, first: Buffer) => void,
) => void;

/** {@link ProxyGate} needs it. */
export interface ProxyGateOptions {
  /** Blocks of the proxies' addresses, separated by spaces. */
  readonly trusted: string;
  /** Is told of each connection that is closed: why, and the address of its socket. */
  readonly onRefused: (reason: string, address: string) => void;
  /** A proxy has so long to send its header. */
  readonly headerTimeoutMs?: number | undefined;
  /** Anybody else may be silent for so long. */
  readonly idleTimeoutMs: number;
}

const HEADER_TIMEOUT_MS = 10_000;
const NOTHING = Buffer.alloc(0);

const senderOf = (socket: Socket) => plainAddress(socket.remoteAddress ?? '') ?? 'unknown';

/** Lets every socket in as it is. */
export const admitAll: AdmitSocket = (socket, onAdmitted) => onAdmitted(socket, senderOf(socket), NOTHING);

/** Demands the header from trusted proxies and refuses it from others. */
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
      // A probe of the port.
      if (read.length === 0) socket.destroy();
      else if (isProxy) refuse('its PROXY header is not complete');
      // Too short for a header, yet it may be a message.
      else admit(sender, read);
    };
    const onTimeout = () => (isProxy ? refuse('it sent no PROXY header in time') : socket.destroy());
    // From the beginning to the header's end, however slowly its bytes come.
    const deadline = setTimeout(onTimeout, isProxy ? headerTimeoutMs : idleTimeoutMs);
    const leave = () => {
      clearTimeout(deadline);
      this.#waiting.delete(socket);
      socket.off('data', onData).off('end', onEnd).off('close', leave);
    };

    this.#waiting.add(socket);
    // 'close' follows.
    socket.on('error', () => socket.destroy());
    socket.on('data', onData).on('end', onEnd).on('close', leave);
    socket.resume();
  };

  /** Closes what has not been let in. */
  close(): void {
    for (const socket of this.#waiting) socket.destroy();
  }
}
