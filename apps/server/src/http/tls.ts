// HTTPS on the HTTP port itself, for installations without a proxy in front.
import type { ServerOptions } from 'node:http';
import { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Handshakes, type KeyPair, tlsOptions } from '../net/tls.ts';
import type { Step } from './steps.ts';

/** A server that closes unfinished handshakes wherever it closes idle connections. */
export class HttpsServer extends Server {
  /** Is told of each finished handshake: the socket below TLS, and the one that requests arrive on. */
  onSecure: ((below: Socket, secure: TLSSocket) => void) | undefined;
  readonly #handshakes: Handshakes;

  /** @throws ConfigError that names the settings */
  constructor(options: ServerOptions, pair: KeyPair) {
    super({ ...options, ...tlsOptions(pair, 'http') });
    // Node would make a failed handshake a broken request, which is answered; nobody could read the answer.
    this.removeAllListeners('tlsClientError');
    this.#handshakes = new Handshakes(this);
    this.on('secureConnection', (secure) => {
      const below = this.#handshakes.finish(secure);
      // The client has left already.
      if (below === undefined) secure.destroy();
      else this.onSecure?.(below, secure);
    });
  }

  /** New connections get this certificate. @throws ConfigError as the constructor; then the old one stays */
  renew(pair: KeyPair): void {
    this.setSecureContext(tlsOptions(pair, 'http'));
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    this.#handshakes.destroy();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    this.#handshakes.destroy();
  }
}

/** RFC 6797: browsers use nothing but TLS with this host for a year. Subdomains are for others to decide. */
export const strictTransport: Step = (_req, res) => {
  res.setHeader('Strict-Transport-Security', 'max-age=31536000');
};
