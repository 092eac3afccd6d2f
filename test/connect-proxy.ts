// A proxy for tests: forwards requests and opens tunnels, to 127.0.0.1 whatever the host, and tells what it was asked.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ConnectProxy {
  readonly url: string;
  /** `CONNECT host:port`, or method and URL; with the credentials that were given. */
  readonly asked: string[];
}

/** Starts a proxy that ends with the test. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const note = (text: string, authorization: string | undefined) =>
    asked.push(authorization === undefined ? text : `${text} ${authorization}`);
  const server = createServer((incoming, answer) => {
    const { method = '', url = '', headers } = incoming;
    note(`${method} ${url}`, headers['proxy-authorization']);
    const { port, pathname, search } = new URL(url);
    const forwarded = request({ host: '127.0.0.1', port, method, path: pathname + search, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(forwarded);
  });
  server.on('connect', (incoming, client: Socket, head: Buffer) => {
    note(`CONNECT ${incoming.url}`, incoming.headers['proxy-authorization']);
    const port = Number(/:(\d+)$/.exec(incoming.url ?? '')?.[1]);
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => undefined);
    sockets.add(target);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
