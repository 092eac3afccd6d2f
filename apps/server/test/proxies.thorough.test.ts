// The guide's examples for nginx and haproxy, run by the real nginx and the real haproxy in front of a real server. The
// nginx of compose.yaml runs the same way.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { useAuthority } from '../../../test/certificates.ts';
import { freePort } from '../../../test/free-port.ts';
import { findProgram } from '../../../test/programs.ts';
import { exampleBelow, withReplacements } from './guide.ts';
import { startNginxWith, startProxyProgram } from './proxy-process.ts';
import { PASSWORD, startApi, type TestApi } from './start-api.ts';

const GUIDE = 'how-to/tls-and-proxies.md';
const COMPOSE_PROXY = new URL('../../../packaging/container/compose/proxy.conf', import.meta.url);
const HOST = '127.0.0.1';
const CLIENT = '127.0.0.2';
const NEIGHBOUR = '127.0.0.3';
const nginx = findProgram('nginx');
const haproxy = findProgram('haproxy');
const openssl = findProgram('openssl');

const prepared = useAuthority();

/** A request from an address of this host to a proxy. */
async function send(port: number, from: string, path: string, headers: Record<string, string>, body?: unknown) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; answer: string }>();
  const method = body === undefined ? 'GET' : 'POST';
  const options = { port, path, method, headers, host: HOST, localAddress: from, ca: prepared().cert, agent: false };
  const req = request(options, (res) => {
    text(res).then((answer) => resolve({ status: res.statusCode, answer }), reject);
  });
  req.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

const MADE_UP = { 'X-Forwarded-For': '203.0.113.9', Forwarded: 'for="203.0.113.9' };

/** Checks that clients are distinguished, whatever headers they send. */
async function expectClientsDistinguished(api: TestApi, port: number): Promise<void> {
  const signIn = (from: string, password: string) =>
    send(port, from, '/admin-api/user/login', MADE_UP, { username: 'admin', password });
  expect((await signIn(CLIENT, PASSWORD)).status).toBe(200);
  for (let guess = 0; guess < 5; guess += 1) expect((await signIn(NEIGHBOUR, 'a wrong password')).status).toBe(401);
  expect((await signIn(NEIGHBOUR, PASSWORD)).status).toBe(429);
  expect((await signIn(CLIENT, PASSWORD)).status).toBe(200);

  const { data: sessions } = await api.admin.user.sessions();
  expect(sessions.map(({ address }) => address).toSorted()).toEqual([HOST, CLIENT, CLIENT]);
  const { token } = await api.admin.apiToken.create({ body: { name: 'ci', allowed_cidrs: [`${CLIENT}/32`] } });
  const ask = (from: string) => send(port, from, '/admin-api/user/me', { ...MADE_UP, 'API-Token': token });
  expect((await ask(CLIENT)).status).toBe(200);
  expect((await ask(NEIGHBOUR)).status).toBe(403);
  // The entry follows the answer.
  const denied = async () => (await api.admin.audit.list({ query: { action: 'request.denied' } })).data;
  await expect.poll(denied).toMatchObject([{ actor: { address: NEIGHBOUR } }]);
}

const nginxExample = (api: TestApi, port: number) =>
  exampleBelow(
    '## nginx',
    'nginx',
    {
      'listen 443 ssl': `listen ${HOST}:${port} ssl`,
      'server 127.0.0.1:7080': `server ${new URL(api.url).host}`,
      '/etc/ssl/quarterdeck/': '',
    },
    GUIDE,
  );

const runNginx = (port: number, http: string) => {
  const { cert, key } = prepared().issue('server');
  return startNginxWith(nginx ?? '', port, http, { files: { 'cert.pem': cert, 'key.pem': key } });
};

describe.skipIf(nginx === undefined || openssl === undefined)('behind nginx as the guide sets it up', () => {
  it('clients are distinguished', async () => {
    await using api = await startApi({ TRUSTED_PROXIES: HOST });
    const port = await freePort();
    await using _proxy = await runNginx(port, nginxExample(api, port));
    await expectClientsDistinguished(api, port);
  });

  it('clients are distinguished by Forwarded', async () => {
    await using api = await startApi({ TRUSTED_PROXIES: HOST, PROXY_HEADER: 'forwarded' });
    const port = await freePort();
    const line = 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;';
    const example = nginxExample(api, port);
    expect(example).toContain(line);
    const server = example.replace(line, 'proxy_set_header Forwarded $forwarded_client;');
    const map = exampleBelow('### Forwarded', 'nginx', {}, GUIDE);
    await using _proxy = await runNginx(port, `${map}\n${server}`);
    await expectClientsDistinguished(api, port);
  });
});

describe.skipIf(nginx === undefined || openssl === undefined)('behind the nginx of compose.yaml', () => {
  it('clients are distinguished', async () => {
    await using api = await startApi({ TRUSTED_PROXIES: HOST });
    const port = await freePort();
    const { cert, key } = prepared().issue('server');
    const conf = (dir: string) => ({
      'listen 8443 ssl': `listen ${HOST}:${port} ssl`,
      'server server:7080': `server ${new URL(api.url).host}`,
      '/run/secrets/': `${dir}/`,
      ' /tmp/': ` ${dir}/`,
    });
    await using _proxy = await startProxyProgram({
      program: nginx ?? '',
      port,
      files: (dir) => ({
        'tls-certificate': cert,
        'tls-key': key,
        'proxy.conf': withReplacements(readFileSync(COMPOSE_PROXY, 'utf8'), conf(dir), 'proxy.conf'),
      }),
      args: (dir) => ['-c', join(dir, 'proxy.conf'), '-g', 'daemon off; master_process off;'],
    });
    await expectClientsDistinguished(api, port);
  });
});

describe.skipIf(haproxy === undefined || openssl === undefined)('behind haproxy as the guide sets it up', () => {
  /** A server with syslog over TCP and TLS, and haproxy in front of all its ports. */
  async function start() {
    const server = prepared().issue('server');
    const tls = { SYSLOG_TLS_PORT: '0', SYSLOG_TLS_CERT: server.cert, SYSLOG_TLS_KEY: server.key };
    const api = await startApi({ TRUSTED_PROXIES: HOST, SYSLOG_PORT: '0', SYSLOG_PROXY: 'on', ...tls });
    const ports = { https: await freePort(), syslog: await freePort(), syslogTls: await freePort() };
    const proxy = await startProxyProgram({
      program: haproxy ?? '',
      port: ports.https,
      files: (dir) => ({
        'quarterdeck.pem': `${server.cert}${server.key}`,
        'haproxy.cfg': exampleBelow(
          '## haproxy',
          'haproxy',
          {
            'bind :443': `bind ${HOST}:${ports.https}`,
            'bind :514\n': `bind ${HOST}:${ports.syslog}\n`,
            'bind :6514': `bind ${HOST}:${ports.syslogTls}`,
            '127.0.0.1:7080': `${HOST}:${api.server.port}`,
            '127.0.0.1:5140': `${HOST}:${api.server.syslogPort}`,
            '127.0.0.1:16514': `${HOST}:${api.server.syslogTlsPort}`,
            '/etc/haproxy/quarterdeck.pem': join(dir, 'quarterdeck.pem'),
          },
          GUIDE,
        ),
      }),
      args: (dir) => ['-db', '-f', join(dir, 'haproxy.cfg')],
    });
    return {
      api,
      ports,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]();
        await api[Symbol.asyncDispose]();
      },
    };
  }

  it('clients are distinguished', async () => {
    await using front = await start();
    await expectClientsDistinguished(front.api, front.ports.https);
  });

  it('senders of syslog are distinguished over TCP and TLS, and cannot bypass haproxy', async () => {
    await using front = await start();
    const { api, ports } = front;
    connect({ port: ports.syslog, host: HOST, localAddress: CLIENT }).end('<11>app: over TCP\n');
    const below = connect({ port: ports.syslogTls, host: HOST, localAddress: NEIGHBOUR });
    connectTls({ socket: below, host: HOST, ca: prepared().cert }).end('<11>app: over TLS\n');
    const addresses = async () =>
      (await api.admin.errlog.sources()).data.map(({ address }) => address).filter((address) => address !== '');
    await expect.poll(async () => (await addresses()).toSorted()).toEqual([CLIENT, NEIGHBOUR]);
    for (const port of [api.server.syslogPort, api.server.syslogTlsPort]) {
      const direct = connect({ port: port ?? 0, host: HOST });
      direct.write('<11>app: passed by\n');
      await once(direct.resume(), 'close');
    }
    const { data } = await api.admin.errlog.list({ query: { q: 'passed by' } });
    expect(data).toEqual([]);
  });
});
