// HTTPS on the HTTP port itself, for installations without a proxy in front.
import type { ServerOptions } from 'node:http';
import { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Handshakes, type KeyPair, tlsOptions } from '@quarterdeck/core/tls';
import type { Step } from '@quarterdeck/express/parts';

/** A server that closes unfinished handshakes together with idle connections. */
export class HttpsServer extends Server {
  /** Called after each handshake with the socket below TLS, and the one on which requests arrive. */
  onSecure: ((below: Socket, secure: TLSSocket) => void) | undefined;
  readonly #handshakes: Handshakes;

  /** @throws ConfigError that names the settings */
  constructor(options: ServerOptions, pair: KeyPair) {
    super({ ...options, ...tlsOptions(pair, 'http') });
    // Node would answer a failed handshake like a malformed request, and no client could read the answer.
    this.removeAllListeners('tlsClientError');
    this.#handshakes = new Handshakes(this);
    this.on('secureConnection', (secure) => {
      const below = this.#handshakes.finish(secure);
      // The client has left already.
      if (below === undefined) secure.destroy();
      else this.onSecure?.(below, secure);
    });
  }

  /** Gives new connections another certificate. @throws ConfigError as the constructor; then the old one stays */
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

/** With TLS, makes browsers use nothing else with this host for a year (RFC 6797), without its subdomains. */
export function strictTransport(withTls: boolean): Step {
  return (_req, res) => {
    if (withTls) res.setHeader('Strict-Transport-Security', 'max-age=31536000');
  };
}
