// Opens the UDP and the TCP socket of the syslog receiver on the same port, or takes over inherited ones.
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { openUdp, type UdpHandlers, type UdpReader } from './udp-reader.ts';

export interface BoundSockets {
  udp: UdpReader;
  tcp: Server;
  port: number;
}

/** File descriptors of sockets that this process has inherited: a listening one and a bound one. */
export interface SyslogSockets {
  readonly tcp: number;
  readonly udp: number;
}

const RECEIVE_BUFFER_BYTES = 32 * 1024 * 1024;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Attempts for port 0 (any free port): a port that is free for TCP may be in use for UDP. */
const FREE_PORT_TRIES = 20;

/** Takes over both sockets. */
export async function inheritSyslog(
  { tcp: fd, udp: udpFd }: SyslogSockets,
  onConnection: (socket: Socket) => void,
  udpHandlers: () => UdpHandlers,
  maxWaitingBytes = MAX_WAITING_BYTES,
): Promise<BoundSockets> {
  const tcp = createServer({ pauseOnConnect: true }, onConnection);
  tcp.listen({ fd });
  await once(tcp, 'listening');
  const settings = { type: 'udp4' as const, address: '', port: 0, fd: udpFd, receiveBufferBytes: 0, maxWaitingBytes };
  return { tcp, udp: await openUdp(settings, udpHandlers), port: portOf(tcp) };
}

/**
 * Binds both sockets, or none.
 *
 * @throws Error that names the port and QUARTERDECK_SYSLOG_PORT if the port is not available
 */
export async function bindSyslog(
  host: string,
  port: number,
  onConnection: (socket: Socket) => void,
  udpHandlers: () => UdpHandlers,
  maxWaitingBytes = MAX_WAITING_BYTES,
): Promise<BoundSockets> {
  for (let tries = 1; ; tries += 1) {
    const tcp = createServer({ pauseOnConnect: true }, onConnection);
    try {
      const { address, family } = await lookup(host);
      tcp.listen({ port, host: address, exclusive: true });
      await once(tcp, 'listening');
      const settings = {
        type: family === 6 ? ('udp6' as const) : ('udp4' as const),
        address,
        port: portOf(tcp),
        receiveBufferBytes: RECEIVE_BUFFER_BYTES,
        maxWaitingBytes,
      };
      const udp = await openUdp(settings, udpHandlers);
      return { udp, tcp, port: settings.port };
    } catch (error) {
      tcp.close();
      if (port !== 0 || tries >= FREE_PORT_TRIES) throw portError(error, host, port);
    }
  }
}

/** The port on which a server listens. */
export function portOf(tcp: Server): number {
  const address = tcp.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const PORT_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use',
  EACCES: 'is not allowed for this user',
};

function portError(cause: unknown, host: string, port: number): Error {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  const reason = PORT_FAULTS[String(code)] ?? `cannot be opened (${String(code ?? cause)}), see QUARTERDECK_HOST`;
  return new Error(`Syslog port ${port} on ${host} ${reason}: set QUARTERDECK_SYSLOG_PORT to a free port, or to off`, {
    cause,
  });
}
