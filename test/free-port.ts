// Ports for servers of tests that are started, ended and started again.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to connections and to listeners on port 0, so that no other program gets one. */
const [FIRST, END] = [10_000, 32_000];
const given = new Set<number>();

/** Returns a port of 127.0.0.1 that is free for TCP and UDP. The same process never gets it again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const udp = createSocket('udp4');
  const tcp = createServer();
  try {
    udp.bind(port, '127.0.0.1');
    await once(udp, 'listening');
    tcp.listen(port, '127.0.0.1');
    await once(tcp, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => udp.close(() => resolve(undefined)));
    if (tcp.listening) await new Promise((resolve) => tcp.close(resolve));
  }
}
