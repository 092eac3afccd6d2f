// The fake server on a real port, for a dashboard in a process of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FakeServer } from './fake-server.ts';

/** Address of the server. */
export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/** Listens on a free port of this host. */
export async function serve(fake: FakeServer): Promise<Listening> {
  const server = createServer(async (request, response) => {
    const body = await Readable.from(request).toArray();
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    try {
      const answer = await fake.fetch(`http://fake${request.url}`, {
        method: request.method ?? 'GET',
        headers: request.headers as Record<string, string>,
        ...(body.length === 0 ? {} : { body: Buffer.concat(body).toString() }),
        signal: gone.signal,
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body === null) response.end();
      else Readable.fromWeb(answer.body as ReadableStream).pipe(response);
    } catch {
      // The server is down, or the client has left.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
