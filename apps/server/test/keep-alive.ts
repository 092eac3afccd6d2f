// Many pipelined requests at the same moment over open connections: more at once than any HTTP client would send.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connections to one or several servers. */
export interface KeptConnections extends AsyncDisposable {
  /**
   * Sends one request `times` times over each connection, at once; resolves with how many were answered with which
   * status. The request begins with its method and ends with its last header line.
   */
  ask(request: string, times: number): Promise<Record<number, number>>;
}

/** Opens `count` connections, to each of the ports in turn. */
export async function keepConnections(ports: readonly number[], count: number): Promise<KeptConnections> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const socket = connect({ port: ports[i % ports.length] ?? 0, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  return {
    async ask(request, times) {
      const bytes = Buffer.from(`${request}\r\nHost: localhost\r\n\r\n`.repeat(times), 'latin1');
      const answers = sockets.map((socket) => statusesOf(socket, times));
      for (const socket of sockets) socket.write(bytes);
      const tally: Record<number, number> = {};
      for (const status of (await Promise.all(answers)).flat()) tally[status] = (tally[status] ?? 0) + 1;
      return tally;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Statuses of the next answers on a connection. */
function statusesOf(socket: Socket, count: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = () => reject(new Error('the server has closed the connection'));
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      // The last answer has begun; it is whole once its body is, and every body is one JSON object.
      if (statuses.length < count || !text.endsWith('}')) return;
      socket.off('data', read).off('close', end);
      resolve(statuses);
    };
    socket.on('data', read).on('close', end);
  });
}
