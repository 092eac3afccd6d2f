// The guide's examples for nginx, haproxy and Apache in front of a real server, 20 ms away: connections that are idle,
// compressed answers, streams and `Expect`.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as idle } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useAuthority } from '../../../test/certificates.ts';
import { freePort } from '../../../test/free-port.ts';
import { nonEmpty } from '../../../test/non-empty.ts';
import { findProgram } from '../../../test/programs.ts';
import { atDistance } from './distance.ts';
import { exampleBelow } from './guide.ts';
import { startNginxWith, startProxyProgram } from './proxy-process.ts';
import { type Settings, startApi } from './start-api.ts';

const GUIDE = 'how-to/tls-and-proxies.md';
const HOST = '127.0.0.1';
const DISTANCE_MS = 20;
const MODULES = '/usr/lib/apache2/modules';
const APACHE_MODULES = ['mpm_event', 'authz_core', 'filter', 'deflate', 'ssl', 'proxy', 'proxy_http', 'headers'];
const openssl = findProgram('openssl');

const prepared = useAuthority();

/** Starts a proxy on a port with the example of the guide, which also compresses. `changes` are made to the example. */
type StartProxy = (
  port: number,
  upstream: number,
  changes: Readonly<Record<string, string>>,
) => Promise<AsyncDisposable>;

interface Proxy {
  readonly program: string;
  readonly start: StartProxy;
  /** Changes of the example that make the proxy close idle connections after some four seconds. */
  readonly shortLived: Readonly<Record<string, string>>;
}

const startNginx: StartProxy = (port, upstream, changes) => {
  const { cert, key } = prepared().issue('server');
  const here = {
    'listen 443 ssl': `listen ${HOST}:${port} ssl`,
    'server 127.0.0.1:7080': `server ${HOST}:${upstream}`,
    '/etc/ssl/quarterdeck/': '',
  };
  const http = exampleBelow('## nginx', 'nginx', { ...here, ...changes }, GUIDE);
  const files = { 'cert.pem': cert, 'key.pem': key };
  return startNginxWith(findProgram('nginx') ?? '', port, `gzip on; gzip_types application/json;\n${http}`, { files });
};

const startHaproxy: StartProxy = (port, upstream, changes) => {
  const { cert, key } = prepared().issue('server');
  return startProxyProgram({
    program: findProgram('haproxy') ?? '',
    port,
    files: (dir) => {
      const here = {
        'bind :443': `bind ${HOST}:${port}`,
        '127.0.0.1:7080': `${HOST}:${upstream}`,
        '/etc/haproxy/quarterdeck.pem': join(dir, 'quarterdeck.pem'),
        'option forwardfor': 'option forwardfor\n    compression algo gzip\n    compression type application/json',
      };
      const [http = ''] = exampleBelow('## haproxy', 'haproxy', { ...here, ...changes }, GUIDE).split(
        'frontend syslog',
      );
      return { 'quarterdeck.pem': `${cert}${key}`, 'haproxy.cfg': http };
    },
    args: (dir) => ['-db', '-f', join(dir, 'haproxy.cfg')],
  });
};

const startApache: StartProxy = (port, upstream, changes) => {
  const { cert, key } = prepared().issue('server');
  return startProxyProgram({
    program: findProgram('apache2') ?? '',
    port,
    files: (dir) => {
      const here = {
        '*:443': `${HOST}:${port}`,
        'http://127.0.0.1:7080/': `http://${HOST}:${upstream}/`,
        '/etc/ssl/quarterdeck/': `${dir}/`,
      };
      const head = [
        ...APACHE_MODULES.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
        ...['User www-data', 'Group www-data', 'ServerName localhost', `Listen ${HOST}:${port}`, 'Mutex sem'],
        ...[`DefaultRuntimeDir ${dir}`, `PidFile ${dir}/pid`, `ErrorLog ${dir}/error.log`],
        'AddOutputFilterByType DEFLATE application/json',
      ].join('\n');
      const site = exampleBelow('## Apache', 'apache', { ...here, ...changes }, GUIDE);
      return { 'cert.pem': cert, 'key.pem': key, 'apache.conf': `${head}\n${site}` };
    },
    args: (dir) => ['-d', dir, '-f', join(dir, 'apache.conf'), '-DFOREGROUND'],
  });
};

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: { program: 'nginx', start: startNginx, shortLived: { 'keepalive_timeout 60s': 'keepalive_timeout 4s' } },
  haproxy: { program: 'haproxy', start: startHaproxy, shortLived: { 'pool-purge-delay 5s': 'pool-purge-delay 2s' } },
  Apache: { program: 'apache2', start: startApache, shortLived: { 'ttl=60': 'ttl=4' } },
};

/** A server with its own times for connections, and a proxy in front of it. */
async function start({ start: startProxy }: Proxy, settings: Settings = {}, changes = {}) {
  const api = await startApi({ TRUSTED_PROXIES: HOST, ...settings }, { keepAliveMs: undefined });
  const upstream = await atDistance(api.server.port, DISTANCE_MS);
  const port = await freePort();
  const proxy = await startProxy(port, upstream.port, changes);
  // Each request comes over a connection of its own: those between client and proxy are not the subject.
  const way = { port, host: HOST, ca: prepared().cert, agent: false } as const;
  return {
    api,
    way,
    send: (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
      send({ method, path, headers: { 'edge-token': api.adminToken, ...headers }, ...way }, body),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

interface Sent {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Sends a request. With `Expect` its body follows after `100 Continue` alone. */
async function send(options: RequestOptions, body = ''): Promise<Sent & { continued: boolean }> {
  const req = request(options);
  let continued = false;
  if (req.getHeader('expect') === undefined) {
    req.end(body);
  } else {
    req.once('continue', () => {
      continued = true;
      req.end(body);
    });
    req.flushHeaders();
  }
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  const chunks = await res.toArray();
  const bytes = Buffer.concat(chunks);
  const isPacked = res.headers['content-encoding'] === 'gzip';
  const plain = (isPacked ? gunzipSync(bytes) : bytes).toString();
  return { status: res.statusCode ?? 0, headers: res.headers, body: plain, continued };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Sends POSTs at once, again after each pause; returns the statuses. */
async function postAfterPauses(front: Awaited<ReturnType<typeof start>>, pauses: readonly number[]) {
  const post = () => front.send('POST', '/admin-api/log_server/errlog', JSON_TYPE, '{"level": 4, "log": "kept"}');
  const statuses: unknown[] = [];
  for (const pause of [0, ...pauses]) {
    await idle(pause);
    const answers = await Promise.allSettled(Array.from({ length: 25 }, post));
    statuses.push(
      ...answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : String(answer.reason))),
    );
  }
  return new Set(statuses);
}

describe.each(nonEmpty(Object.entries(PROXIES)))('behind %s as the guide sets it up', (_name, proxy) => {
  const skips = findProgram(proxy.program) === undefined || openssl === undefined;

  it.skipIf(skips)('no POST fails over a connection that was idle', { timeout: 120_000 }, async () => {
    await using front = await start(proxy);
    // A new connection of the client takes some of the six seconds after which servers of Node close.
    expect(await postAfterPauses(front, [5_880, 5_910, 5_940, 5_970])).toEqual(new Set([200]));
  });

  it.skipIf(skips)(
    'no POST fails around the times at which the proxy and the server close',
    {
      timeout: 120_000,
    },
    async () => {
      await using front = await start(proxy, { KEEP_ALIVE_S: '5' }, proxy.shortLived);
      expect(await postAfterPauses(front, [3_990, 4_010, 5_980, 6_000])).toEqual(new Set([200]));
    },
  );

  it.skipIf(skips)('a change with the tag of a compressed answer is made once', async () => {
    await using front = await start(proxy);
    const path = `/api/agents/${(await front.api.agent()).id}`;
    const shown = await front.send('GET', `${path}?detail=1`, { 'Accept-Encoding': 'gzip' });
    expect([shown.status, shown.headers['content-encoding']]).toEqual([200, 'gzip']);
    const { etag = '' } = shown.headers;
    const change = (body: object) => front.send('PUT', path, { ...JSON_TYPE, 'If-Match': etag }, JSON.stringify(body));
    expect((await change({ labels: { site: 'north' } })).status).toBe(200);
    expect((await change({ labels: { site: 'south' } })).status).toBe(412);
  });

  it.skipIf(skips)('events arrive as they happen, and an export is whole', async () => {
    await using front = await start(proxy);
    const { api } = front;
    const lines = Array.from({ length: 2_000 }, (_, i) => ({ level: 4, log: `line ${i} ${'y'.repeat(500)}` }));
    await api.admin.errlog.append({ body: lines });
    const exported = await front.send('GET', '/admin-api/log_server/line/export');
    expect(exported.body.trimEnd().split('\n')).toHaveLength(2_000);
    const headers = { 'edge-token': api.adminToken };
    const req = request({ ...front.way, path: '/admin-api/events?types=errlog.new', headers }).end();
    const [events] = (await once(req, 'response')) as [IncomingMessage];
    let heard = '';
    events.setEncoding('utf8').on('data', (chunk: string) => {
      heard += chunk;
    });
    await expect.poll(() => heard).toContain('id: ');
    await api.admin.errlog.append({ body: { level: 4, log: 'while somebody listens' } });
    await expect.poll(() => heard).toContain('while somebody listens');
    req.destroy();
  });

  it.skipIf(skips)('a body that waits for 100-continue is sent where it is wanted', async () => {
    await using front = await start(proxy);
    const log = '{"level": 4, "log": "after a wait"}';
    const expecting = { ...JSON_TYPE, Expect: '100-continue', 'Content-Length': String(log.length) };
    const path = '/admin-api/log_server/errlog';
    expect(await front.send('POST', path, expecting, log)).toMatchObject({ status: 200, continued: true });
    const refused = await front.send('POST', path, { ...expecting, 'edge-token': 'nonsense' }, log);
    expect(refused.status).toBe(401);
    // nginx lets every body come before it asks the server.
    expect(refused.continued).toBe(proxy.program === 'nginx');
  });
});
