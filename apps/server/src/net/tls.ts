// TLS as every port of this server speaks it: HTTP and syslog.
import type { Socket } from 'node:net';
import { createSecureContext, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import { ConfigError } from '@quarterdeck/core/environment';

/** PEM texts that belong together. */
export interface KeyPair {
  /** The certificate, and those between it and the authority. */
  readonly cert: string;
  readonly key: string;
  /** Clients must show a certificate of one of these authorities; undefined = any client is let in. */
  readonly clientCa?: string | undefined;
  /** A handshake may take so long; 10 s by default. */
  readonly handshakeMs?: number;
}

const HANDSHAKE_MS = 10_000;

/** The settings of each port that speaks TLS. */
const VARIABLES = {
  http: 'QUARTERDECK_TLS_CERT and QUARTERDECK_TLS_KEY',
  syslog: 'QUARTERDECK_SYSLOG_TLS_CERT, _KEY and _CLIENT_CA',
} as const;
export type TlsPortName = keyof typeof VARIABLES;

/**
 * Options of a TLS server, tried out.
 *
 * @throws ConfigError that names the settings and never quotes the key
 */
export function tlsOptions(
  { cert, key, clientCa, handshakeMs = HANDSHAKE_MS }: KeyPair,
  port: TlsPortName,
): TlsOptions {
  const options: TlsOptions = {
    ...{ cert, key, minVersion: 'TLSv1.2' as const, handshakeTimeout: handshakeMs },
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  };
  try {
    createSecureContext(options);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'not PEM';
    throw new ConfigError(`${VARIABLES[port]} cannot be used, or do not belong together (${reason})`);
  }
  return options;
}

/** The sockets below TLS whose handshake is not finished. Those whose handshake fails or takes too long are closed. */
export class Handshakes {
  readonly #open = new Map<string, Socket>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      const peer = peerOf(socket);
      // Its client has left already.
      if (peer === undefined) return;
      this.#open.set(peer, socket);
      socket.once('close', () => {
        if (this.#open.get(peer) === socket) this.#open.delete(peer);
      });
    });
    // Node leaves a socket open whose handshake takes too long.
    server.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** Call it once a handshake is finished. Returns the socket below. */
  finish(secure: TLSSocket): Socket | undefined {
    const peer = peerOf(secure);
    if (peer === undefined) return undefined;
    const socket = this.#open.get(peer);
    this.#open.delete(peer);
    return socket;
  }

  /** Closes those that are not finished. */
  destroy(): void {
    for (const socket of this.#open.values()) socket.destroy();
  }
}

/**
 * The same text for a TLS socket and the one below it, which Node does not name, and for no other connection to the port;
 * undefined on a connection that has ended.
 */
const peerOf = ({ remoteAddress, remotePort }: Socket) =>
  remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
