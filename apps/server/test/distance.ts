// A way to a port that takes time, as through a network.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port with a distance. */
export interface DistantPort extends AsyncDisposable {
  readonly port: number;
}

/** Forwards connections to a port of this host. Everything takes `delayMs` each way, also the end of a connection. */
export async function atDistance(target: number, delayMs: number): Promise<DistantPort> {
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    const later = (act: () => void) => setTimeout(act, delayMs);
    from.on('data', (chunk) => later(() => to.writable && to.write(chunk)));
    from.on('end', () => later(() => to.end()));
    // A reset.
    from.on('error', () => later(() => to.resetAndDestroy()));
    from.once('close', () => sockets.delete(from));
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    forward(near, far);
    forward(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
