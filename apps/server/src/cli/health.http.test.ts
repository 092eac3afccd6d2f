import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runHere } from '../../test/command-line.ts';
import { startApi } from '../../test/start-api.ts';

const health = (url: string, ...options: string[]) => runHere(['health', '--url', url, ...options], {});

/** Starts a server that answers with `listener`; returns its port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

it('reports a server that is ready, at the address of its settings, until it drains', async () => {
  await using api = await startApi({ DRAIN_S: '600' });
  const { port } = new URL(api.url);
  for (const host of ['127.0.0.1', '0.0.0.0', 'localhost']) {
    const { code, out, err } = await runHere(['health'], { QUARTERDECK_HOST: host, QUARTERDECK_PORT: port });
    const name = host === '0.0.0.0' ? '127.0.0.1' : host;
    expect([code, out, err]).toEqual([0, `the server at http://${name}:${port} is ready\n`, '']);
  }
  const alive = { code: 0, out: `the server at http://127.0.0.1:${port} is alive\n`, err: '' };
  expect(await runHere(['health', '--live'], { QUARTERDECK_PORT: port })).toEqual(alive);

  const stopped = api.server.stop();
  expect(await health(api.url)).toEqual({
    code: 1,
    out: '',
    err: `quarterdeckd: the server at ${api.url} is not ready: The server is shutting down. Try again shortly.\n`,
  });
  expect(await health(api.url, '--live')).toEqual(alive);
  void api.server.stop();
  await stopped;
  const { code, err } = await health('http://127.0.0.1:1', '--live');
  expect(code).toBe(1);
  expect(err).toMatch(/^quarterdeckd: the server at \S+ cannot be reached: [^\n]*ECONNREFUSED[^\n]*\n$/);
});

it('fails for an answer that is not of the server', async () => {
  const port = await serve((_req, res) => res.writeHead(502).end('<h1>Bad gateway</h1>'));
  const { code, err } = await health(`http://127.0.0.1:${port}`);
  expect([code, err]).toEqual([
    1,
    `quarterdeckd: the server at http://127.0.0.1:${port} is not ready: HTTP status 502\n`,
  ]);
});

it.each(['headers', 'body'])('fails where the end of the %s does not come in time', async (part) => {
  const limit = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  onTestFinished(() => timeout.mockRestore());
  const port = await serve((_req, res) => {
    if (part === 'body') res.writeHead(200).write('{');
    limit.abort();
  });
  const { code, err } = await health(`http://127.0.0.1:${port}`);
  expect([code, err]).toEqual([
    1,
    `quarterdeckd: the server at http://127.0.0.1:${port} cannot be reached: no answer within 3 s\n`,
  ]);
  expect(timeout).toHaveBeenCalledWith(3_000);
});

it('asks below the path of a proxy', async () => {
  const port = await serve((req, res) => res.writeHead(req.url === '/quarterdeck/readyz' ? 200 : 404).end());
  for (const path of ['/quarterdeck', '/quarterdeck/']) {
    expect((await health(`http://127.0.0.1:${port}${path}`)).code, path).toBe(0);
  }
});

it.each([
  [['health'], { QUARTERDECK_PORT: '0' }, 'QUARTERDECK_PORT is 0, any free port: name the server with --url'],
  [['health', '--url', 'tcp://127.0.0.1'], {}, '--url is not an http or https URL'],
  [['health', '--url', 'readyz'], {}, '--url is not an http or https URL'],
])('refuses %j with %j', async (args, settings, reason) => {
  expect(await runHere(args, settings)).toEqual({ code: 2, out: '', err: `quarterdeckd: ${reason}\n` });
});
