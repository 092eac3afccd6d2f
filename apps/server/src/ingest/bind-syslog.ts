// Opens the UDP and the TCP socket of the syslog receiver on one and the same port.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export interface BoundSockets {
  udp: UdpSocket;
  tcp: Server;
  port: number;
  /** What the system really gave, which may be less than asked for. */
  receiveBufferBytes: number;
}

const RECEIVE_BUFFER_BYTES = 8 * 1024 * 1024;
/** Port 0 means any port; one that is free for UDP may be taken for TCP, so a few are tried. */
const FREE_PORT_TRIES = 20;

/**
 * Binds both, or neither.
 * @throws Error that names the port and QUARTERDECK_SYSLOG_PORT when the port cannot be had
 */
export async function bindSyslog(
  host: string,
  port: number,
  onConnection: (socket: Socket) => void,
): Promise<BoundSockets> {
  for (let tries = 1; ; tries += 1) {
    const tcp = createServer({ pauseOnConnect: true }, onConnection);
    try {
      const { address, family } = await lookup(host);
      tcp.listen({ port, host: address, exclusive: true });
      await once(tcp, 'listening');
      // UDP comes last: whoever awaits this listens to it before the first datagram can be delivered.
      const bound = portOf(tcp);
      const udp = await bindUdp(family === 6 ? 'udp6' : 'udp4', address, bound);
      return { udp, tcp, port: bound, receiveBufferBytes: enlargeReceiveBuffer(udp) };
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

async function bindUdp(type: 'udp4' | 'udp6', address: string, port: number): Promise<UdpSocket> {
  const udp = createSocket(type);
  try {
    udp.bind({ port, address, exclusive: true });
    await once(udp, 'listening');
    return udp;
  } catch (error) {
    udp.close();
    throw error;
  }
}

/** A burst must survive a pause of the event loop. Systems cap the size or refuse it; either is fine. */
function enlargeReceiveBuffer(udp: UdpSocket): number {
  for (let bytes = RECEIVE_BUFFER_BYTES; bytes > 256 * 1024; bytes /= 2) {
    try {
      udp.setRecvBufferSize(bytes);
      break;
    } catch {
      // Too large for this system: half of it, then.
    }
  }
  return udp.getRecvBufferSize();
}

function portError(cause: unknown, host: string, port: number): Error {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  const reason =
    code === 'EADDRINUSE'
      ? 'is already in use'
      : code === 'EACCES'
        ? 'may not be opened by this user'
        : `cannot be opened (${String(code ?? cause)}), see QUARTERDECK_HOST`;
  return new Error(`Syslog port ${port} on ${host} ${reason}: set QUARTERDECK_SYSLOG_PORT to a free port, or to off`, {
    cause,
  });
}
