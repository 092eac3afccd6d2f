// TLS of all ports: HTTP and syslog.
import type { Socket } from 'node:net';
import { createSecureContext, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import { ConfigError } from './environment.ts';

/** A certificate and its key, in PEM. */
export interface KeyPair {
  /** The certificate, followed by its chain. */
  readonly cert: string;
  readonly key: string;
  /** Authorities of client certificates; undefined = clients need no certificate. */
  readonly clientCa?: string | undefined;
  /** Time limit of a handshake; 10 s by default. */
  readonly handshakeMs?: number;
}

const HANDSHAKE_MS = 10_000;

/** The settings of each port with TLS. */
const VARIABLES = {
  http: 'QUARTERDECK_TLS_CERT and QUARTERDECK_TLS_KEY',
  syslog: 'QUARTERDECK_SYSLOG_TLS_CERT, _KEY and _CLIENT_CA',
} as const;
export type TlsPortName = keyof typeof VARIABLES;

/**
 * Creates and validates the options of a TLS server.
 *
 * @throws ConfigError that names the settings and never quotes the key
 */
export function tlsOptions(
  { cert, key, clientCa, handshakeMs = HANDSHAKE_MS }: KeyPair,
  port: TlsPortName,
): TlsOptions {
  const options: TlsOptions = {
    cert,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: handshakeMs,
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  };
  try {
    createSecureContext(options);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'not PEM';
    throw new ConfigError(`${VARIABLES[port]} cannot be used: they are invalid or do not match (${reason})`);
  }
  return options;
}

/** The sockets with an unfinished TLS handshake. Closes those whose handshake fails or takes too long. */
export class Handshakes {
  readonly #open = new Map<string, Socket>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      const peer = peerOf(socket);
      // The client has disconnected already.
      if (peer === undefined) return;
      this.#open.set(peer, socket);
      socket.once('close', () => {
        if (this.#open.get(peer) === socket) this.#open.delete(peer);
      });
    });
    // Node leaves a socket open after a handshake timeout.
    server.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** Removes a finished handshake and returns the socket below TLS. */
  finish(secure: TLSSocket): Socket | undefined {
    const peer = peerOf(secure);
    if (peer === undefined) return undefined;
    const socket = this.#open.get(peer);
    this.#open.delete(peer);
    return socket;
  }

  /** Closes the sockets with an unfinished handshake. */
  destroy(): void {
    for (const socket of this.#open.values()) socket.destroy();
  }
}

/**
 * Identifies a connection by its peer: the same text for a TLS socket and the socket below it, which Node does not
 * expose. Undefined for a connection that has ended.
 */
const peerOf = ({ remoteAddress, remotePort }: Socket) =>
  remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
