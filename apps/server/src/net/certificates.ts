// Certificates of all TLS ports, at the start and on renewal.
import { X509Certificate } from 'node:crypto';
import { type KeyPair, type TlsPortName, tlsOptions } from '@quarterdeck/core/tls';
import type { Logger } from 'pino';
import type { Certificates } from '../settings/config.ts';

/** A TLS port. `renew` throws and changes nothing if the pair cannot be used. */
export interface TlsPort {
  renew(pair: KeyPair): void;
}

/**
 * Reads and checks the key pair of a port; undefined where it has none.
 *
 * @throws ConfigError that names the settings
 */
export function keyPairOf(port: TlsPortName, files: Certificates): KeyPair | undefined {
  const [cert, key, clientCa] =
    port === 'http'
      ? [files.tlsCert, files.tlsKey]
      : [files.syslogTlsCert, files.syslogTlsKey, files.syslogTlsClientCa];
  if (cert === undefined || key === undefined) return undefined;
  const pair = { cert, key, clientCa };
  tlsOptions(pair, port);
  return pair;
}

/** Reads certificates again and gives them to their ports. A bad one is logged, and the old one stays. */
export function renewCertificates(
  read: () => Certificates,
  ports: Readonly<Record<TlsPortName, TlsPort | undefined>>,
  log: Logger,
): void {
  for (const name of ['http', 'syslog'] as const) {
    const port = ports[name];
    if (port === undefined) continue;
    try {
      const pair = keyPairOf(name, read());
      if (pair === undefined) continue;
      port.renew(pair);
      const { validTo } = new X509Certificate(pair.cert);
      log.info({ port: name, valid_to: validTo }, 'certificate read again: new connections get it');
    } catch (error) {
      log.error({ port: name, err: error }, 'the new certificate cannot be used; the old one stays');
    }
  }
}
