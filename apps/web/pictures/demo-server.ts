// Serves the built page with the demo of the dashboard as its server: sample data, without a database.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createDemo } from '../../tui/src/demo/demo-server.ts';

const DIST = new URL('../dist/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };

/** Starts the server; it ends with the process. Returns its address. */
export async function startDemoServer(now: () => number): Promise<string> {
  const { fetch } = createDemo({ now, everyMs: 0 });
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { pathname } = new URL(req.url ?? '/', 'http://demo');
    if (/^\/(?:admin-api|api)\//.test(pathname)) {
      const { status, headers, body } = await fetch(`http://demo${req.url}`, {
        method: req.method ?? 'GET',
        headers: { accept: req.headers.accept ?? '*/*' },
      });
      res.writeHead(status, Object.fromEntries(headers));
      if (body === null) res.end();
      else
        Readable.from(body)
          .on('error', () => res.end())
          .pipe(res);
      return;
    }
    const isAsset = /^\/assets\/[\w.-]+$/.test(pathname);
    res.setHeader('Content-Type', isAsset ? (TYPES[pathname.split('.').at(-1) ?? ''] ?? 'text/plain') : 'text/html');
    res.end(readFileSync(new URL(isAsset ? `.${pathname}` : 'index.html', DIST)));
  };
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
