// Syslog over TLS (RFC 5425): the same messages and framings as over TCP, on a separate port.
import { once } from 'node:events';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { Handshakes, type KeyPair, tlsOptions } from '@quarterdeck/core/tls';
import type { AdmitSocket } from './proxy-gate.ts';

/** The TLS port and its key pair. */
export interface SyslogTls extends KeyPair {
  /** 0 = any free port. */
  readonly port: number;
  /** A listening socket that this process has inherited; host and port are not used then. */
  readonly fd?: number | undefined;
}

/** The TLS port of the syslog receiver. */
export interface BoundTls {
  readonly tcp: Server;
  /** Sets the certificate of new connections. @throws ConfigError that names the settings; the old one stays */
  renew(pair: KeyPair): void;
  /** Closes connections with an unfinished handshake. */
  closeHandshakes(): void;
}

/** Callbacks for each connection. */
interface TlsHandlers {
  /** Admits a connection before its handshake. */
  readonly admit: AdmitSocket;
  /** Receives a paused connection after a successful handshake. */
  readonly onConnection: (socket: TLSSocket, address: string) => void;
  /** Is called for each failed handshake. */
  readonly onRefused: (error: Error) => void;
}

/** @throws ConfigError or Error that names the invalid settings and never quotes the key */
export async function bindTls(
  host: string,
  { port, fd, ...pair }: SyslogTls,
  handlers: TlsHandlers,
): Promise<BoundTls> {
  const secure = createServer(tlsOptions(pair, 'syslog'));
  const handshakes = new Handshakes(secure);
  const addresses = new WeakMap<Socket, string>();
  secure.on('secureConnection', (socket) => {
    // Pause before a listener for its data exists.
    socket.pause();
    const below = handshakes.finish(socket);
    handlers.onConnection(socket, (below && addresses.get(below)) ?? 'unknown');
  });
  secure.on('tlsClientError', handlers.onRefused);
  // A separate TCP server, because a proxy sends its header before the handshake.
  const tcp = createTcpServer({ pauseOnConnect: true }, (connection) =>
    handlers.admit(connection, (socket, address, first) => {
      if (socket.readableEnded) return void socket.destroy();
      addresses.set(socket, address);
      socket.unshift(first);
      secure.emit('connection', socket);
    }),
  );
  try {
    tcp.listen(fd === undefined ? { port, host, exclusive: true } : { fd });
    await once(tcp, 'listening');
    return {
      tcp,
      renew: (renewed) => secure.setSecureContext(tlsOptions(renewed, 'syslog')),
      closeHandshakes: () => handshakes.destroy(),
    };
  } catch (cause) {
    tcp.close();
    const code = (cause as NodeJS.ErrnoException).code;
    throw new Error(`Syslog port ${port} for TLS cannot be opened (${code}): set QUARTERDECK_SYSLOG_TLS_PORT`, {
      cause,
    });
  }
}
