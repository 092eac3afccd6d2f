// HTTPS on the HTTP port itself, with certificates of the real openssl.
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Certificate, clientHello, useAuthority } from '../../../../test/certificates.ts';
import { findProgram } from '../../../../test/programs.ts';
import { parseAnswers } from '../../test/raw-socket.ts';
import { CHEAP_ARGON2, newPlace, PASSWORD, sharedApi, startApi, variablesOf } from '../../test/start-api.ts';
import { type RunningServer, startServer } from '../compose/server.ts';
import { readConfig } from '../settings/config.ts';
import { ConnectionGuard } from './connection-guard.ts';
import { listen } from './listen.ts';
import { HttpsServer } from './tls.ts';

const HOST = '127.0.0.1';
/** Longer than the limit of a test. */
const UNLIMITED_MS = 3_600_000;
const HSTS = 'strict-transport-security';
const openssl = findProgram('openssl');
const closers: (() => Promise<void> | void)[] = [];

const prepared = useAuthority();

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(pair: Certificate, settings: Readonly<Record<string, string>> = {}) {
  const place = await newPlace();
  closers.push(async () => place[Symbol.asyncDispose]());
  const all = {
    PORT: '0',
    SYSLOG_PORT: 'off',
    ADMIN_PASSWORD: PASSWORD,
    TLS_CERT: pair.cert,
    TLS_KEY: pair.key,
    ...place.sharing,
    ...settings,
  };
  const config = readConfig(variablesOf(all));
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => logged.push(line) });
  const server = await startServer(config, log, { argon2: CHEAP_ARGON2, graceMs: 5 });
  closers.push(() => server.stop());
  return { server, logged, config };
}

function closeLater<S extends Socket>(socket: S): S {
  socket.on('error', () => undefined);
  closers.push(() => {
    socket.destroy();
  });
  return socket;
}

async function dial({ port }: Pick<RunningServer, 'port'>, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = closeLater(connect({ port, host: HOST, ca: prepared().cert, ...options }));
  await once(socket, 'secureConnect');
  return socket;
}

/** Requests a path over a connection; with `close` the connection ends with the answer. */
async function ask(socket: TLSSocket, path: string, connection: 'close' | 'keep-alive' = 'close') {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`);
  const [answer] = parseAnswers(String((await once(socket, 'data'))[0]));
  return answer;
}

describe.skipIf(openssl === undefined)('HTTPS', () => {
  it('answers by TLS 1.2 and 1.3, and nothing else; demands TLS for a year in every answer', async () => {
    const { server } = await start(prepared().issue('server'));
    expect(server.url).toBe(`https://${HOST}:${server.port}`);
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const answer = await ask(await dial(server, { minVersion: version, maxVersion: version }), '/healthz');
      expect(answer?.status).toBe(200);
    }
    for (const path of ['/healthz', '/nowhere', '/docs', '/admin-api/user/me', '/api/agents/1/heartbeat']) {
      const answer = await ask(await dial(server), path);
      expect(answer?.headers[HSTS]).toBe('max-age=31536000');
    }
    await expect(dial(server, { maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' })).rejects.toThrow();
    const { promise, resolve } = Promise.withResolvers<Error>();
    get(`http://${HOST}:${server.port}/healthz`).on('error', resolve);
    expect(await promise).toMatchObject({ code: 'ECONNRESET' });
    expect((await ask(await dial(server), '/healthz'))?.status).toBe(200);
  });

  it('shows a new certificate on new connections; a bad one is logged, and changes nothing', async () => {
    const { server, logged, config } = await start(prepared().issue('server'));
    const serial = async () => (await dial(server)).getPeerX509Certificate()?.serialNumber;
    const old = await dial(server);
    const first = await serial();
    const [one, two] = [prepared().issue('one'), prepared().issue('two')];

    server.renewCertificates(() => ({ ...config, tlsCert: one.cert, tlsKey: two.key }));
    expect(logged.at(-1)).toMatch(
      /"level":50.*QUARTERDECK_TLS_CERT and QUARTERDECK_TLS_KEY cannot be used.*old one stays/,
    );
    server.renewCertificates(() => {
      throw new Error('no such file');
    });
    expect(logged.at(-1)).toMatch(/"level":50.*no such file.*old one stays/);
    expect(await serial()).toBe(first);

    server.renewCertificates(() => ({ ...config, tlsCert: one.cert, tlsKey: one.key }));
    expect(logged.at(-1)).toMatch(/"level":30.*"valid_to"/);
    expect(await serial()).not.toBe(first);
    expect((await ask(old, '/healthz', 'keep-alive'))?.status).toBe(200);
    await expect(dial(server, { maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' })).rejects.toThrow();
    expect(logged.join()).not.toContain('PRIVATE');
  });

  it('stops without waiting for idle connections and unfinished handshakes', async () => {
    const log = pino({ level: 'silent' });
    const times = { drainMs: UNLIMITED_MS, keepAliveMs: UNLIMITED_MS, sendTimeoutMs: UNLIMITED_MS, graceMs: 5 };
    const guard = new ConnectionGuard({ max: 9, maxPerAddress: 9, log, now: Date.now, ...times });
    const pair = { ...prepared().issue('server'), handshakeMs: UNLIMITED_MS };
    const server = await listen((_req, res) => res.end('done'), { host: HOST, port: 0 }, guard, times, pair);
    const idle = await dial(server);
    await ask(idle, '/', 'keep-alive');
    const begun = closeLater(connectTcp(server.port, HOST));
    begun.write(await clientHello());
    await once(begun, 'data');
    await expect(server.close()).resolves.toBeUndefined();
  });

  it('closes connections whose handshake takes too long, and counts no request', async () => {
    const server = new HttpsServer({}, { ...prepared().issue('server'), handshakeMs: 30 });
    const onBroken = vi.fn();
    server.on('clientError', onBroken).listen(0, HOST);
    closers.push(() => {
      server.close();
    });
    await once(server, 'listening');
    const silent = closeLater(connectTcp((server.address() as AddressInfo).port, HOST));
    await once(silent.resume(), 'close');
    expect(onBroken).not.toHaveBeenCalled();
  });

  it('needs a certificate and its matching key', async () => {
    const [one, two] = [prepared().issue('one'), prepared().issue('two')];
    for (const pair of [
      { cert: one.cert, key: two.key },
      { cert: '-----BEGIN CERTIFICATE-----', key: one.key },
    ]) {
      await expect(start(pair)).rejects.toThrow('QUARTERDECK_TLS_CERT and QUARTERDECK_TLS_KEY cannot be used');
    }
  });
});

describe('plain HTTP', () => {
  it('demands no TLS', async () => {
    await using api = await sharedApi();
    expect((await api.fetch('/healthz')).headers.get(HSTS)).toBeNull();
  });

  it('warns at the start if others can reach it, with the remedy', async () => {
    await using api = await startApi({ HOST: '0.0.0.0' });
    const warnings = api.logged.filter((line) => line.includes('without encryption'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? '')).toMatchObject({
      level: 40,
      address: '0.0.0.0',
      msg: expect.stringMatching(
        /QUARTERDECK_TLS_CERT_FILE.*QUARTERDECK_TRUSTED_PROXIES.*QUARTERDECK_HOST=127\.0\.0\.1/,
      ),
    });
  });
});
