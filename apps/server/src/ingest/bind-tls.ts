// Syslog over TLS (RFC 5425): the same messages and framings as over TCP, on a port of their own.
import { once } from 'node:events';
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createServer, type Server as SecureServer, type TLSSocket } from 'node:tls';

/** What TLS needs. PEM texts. */
export interface SyslogTls {
  /** 0 = any free one. */
  readonly port: number;
  /** The certificate, and those between it and the authority. */
  readonly cert: string;
  readonly key: string;
  /** Senders must show a certificate of one of these authorities; undefined = any sender is taken. */
  readonly clientCa: string | undefined;
}

const HANDSHAKE_MS = 10_000;

/**
 * @param admit asked before each handshake; it has closed a connection that may not stay
 * @param onRefused told of each connection whose handshake fails
 * @throws Error that names the variable at fault; it never quotes the key
 */
export async function bindTls(
  host: string,
  { port, cert, key, clientCa }: SyslogTls,
  admit: (socket: Socket) => boolean,
  onConnection: (socket: TLSSocket) => void,
  onRefused: (error: Error, address: string) => void,
): Promise<Server> {
  const secure = secureServer(cert, key, clientCa);
  const server = createPlainServer((socket) => {
    if (admit(socket)) secure.emit('connection', socket);
  });
  secure.on('secureConnection', (socket) => {
    // Before anybody listens to its data: whether it may flow is for the listener to say.
    socket.pause();
    onConnection(socket);
  });
  secure.on('tlsClientError', (error, socket) => onRefused(error, socket.remoteAddress ?? ''));
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return server;
  } catch (cause) {
    server.close();
    const code = (cause as NodeJS.ErrnoException).code;
    throw new Error(`Syslog port ${port} for TLS cannot be opened (${code}): set QUARTERDECK_SYSLOG_TLS_PORT`, {
      cause,
    });
  }
}

function secureServer(cert: string, key: string, clientCa: string | undefined): SecureServer {
  try {
    return createServer({
      cert,
      key,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_MS,
      ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
    });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'not PEM';
    throw new Error(
      `Syslog over TLS: QUARTERDECK_SYSLOG_TLS_CERT, _KEY or _CLIENT_CA cannot be used, or do not belong together (${reason})`,
    );
  }
}
