import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { readProxies } from '@quarterdeck/core/network';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeAuthority } from '../../../../../../test/certificates.ts';
import { startConnectProxy } from '../../../../../../test/connect-proxy.ts';
import { findProgram } from '../../../../../../test/programs.ts';
import type { Resolve } from '../../../net/allowed-address.ts';
import { createHttpPost, type HttpPostOptions } from './http-post.ts';

const openssl = findProgram('openssl');

const servers: Server[] = [];
const sockets = new Set<Socket>();

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** A receiver that speaks HTTP. */
const receiver = (answer: RequestListener) => listen(createServer(answer));
/** A receiver that writes what it likes once the request has begun to come. */
const rawReceiver = (answer: (socket: Socket) => void) =>
  listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    }),
  );

const PATH = '/services/T0SECRET0/B0SECRET0/s3cr3ts3cr3t?key=t0k3nt0k3n';

function postTo(url: string, options: Partial<HttpPostOptions> = {}, signal = new AbortController().signal) {
  const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const post = createHttpPost({
    resolve,
    allow: '127.0.0.1',
    setting: 'QUARTERDECK_WEBHOOK_ALLOW',
    userAgent: 'Quarterdeck/0',
    timeoutMs: 5000,
    ...options,
  });
  return post({ url: new URL(url), headers: { 'webhook-id': 'msg_1' }, body: '{"type":"ä"}' }, signal);
}

describe('a request', () => {
  it('has the body, its headers and no others', async () => {
    const { promise, resolve } = Promise.withResolvers<[IncomingMessage, string]>();
    const port = await receiver(async (request, response) => {
      resolve([request, await text(request)]);
      response.writeHead(204).end();
    });
    expect(await postTo(`http://hooks.example.org:${port}${PATH}`)).toEqual({ ok: true, status: 204 });
    const [{ method, url, headers }, body] = await promise;
    expect({ method, url, body }).toEqual({ method: 'POST', url: PATH, body: '{"type":"ä"}' });
    expect(headers).toEqual({
      host: `hooks.example.org:${port}`,
      'user-agent': 'Quarterdeck/0',
      'content-type': 'application/json',
      'content-length': '13',
      'webhook-id': 'msg_1',
      connection: 'close',
    });
  });

  it('reports the reason of the receiver in one line, without the address', async () => {
    const port = await receiver(({ url }, response) => {
      response.writeHead(404).end(`Cannot POST ${url}\r\n\u001b[31mT0SECRET0\u202E ${'x'.repeat(1000)}`);
    });
    const outcome = await postTo(`http://127.0.0.1:${port}${PATH}`);
    expect(outcome).toMatchObject({ ok: false, status: 404 });
    const { error } = outcome as { error: string };
    expect(error).toMatch(/^The receiver answers 404: Cannot POST … … x+…$/);
    expect(error.length).toBeLessThan(340);
  });

  it('reports no end of a secret that begins with another part of the address', async () => {
    const port = await receiver((_, response) => response.writeHead(404).end('No hook is named hook-1-s3cr3t'));
    const outcome = await postTo(`http://127.0.0.1:${port}/hook-1/hook-1-s3cr3t`);
    expect(outcome).toMatchObject({ error: 'The receiver answers 404: No hook is named …' });
  });

  it.each([
    ['seconds', '120', 120_000],
    ['a time in the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['nonsense', 'later', undefined],
  ])('reads Retry-After with %s', async (_, value, retryAfterMs) => {
    const port = await receiver((_request, response) => response.writeHead(429, { 'retry-after': value }).end());
    const expected = { ok: false, status: 429, error: 'The receiver answers 429.' };
    expect(await postTo(`http://127.0.0.1:${port}/`)).toEqual(
      retryAfterMs === undefined ? expected : { ...expected, retryAfterMs },
    );
  });

  it('is not sent again where a redirect leads to', async () => {
    const port = await receiver((_request, response) =>
      response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end('x'.repeat(100)),
    );
    expect(await postTo(`http://127.0.0.1:${port}/`)).toEqual({
      ok: false,
      status: 307,
      error: 'The receiver answers with a redirect (307), which is not followed. Use the final address.',
    });
  });

  it('reports a receiver that refuses connections', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    await once(server, 'close');
    expect(await postTo(`http://127.0.0.1:${port}/`)).toEqual({
      ok: false,
      status: null,
      error: `127.0.0.1:${port} refused the connection.`,
    });
  });

  it('ends when it is aborted', async () => {
    const port = await rawReceiver(() => undefined);
    const error = 'The attempt was stopped.';
    expect(await postTo(`http://127.0.0.1:${port}/`, {}, AbortSignal.abort())).toMatchObject({ error });
    const stop = new AbortController();
    const outcome = postTo(`http://127.0.0.1:${port}/`, {}, stop.signal);
    stop.abort();
    expect(await outcome).toMatchObject({ ok: false, status: null, error });
  });
});

describe('a hostile receiver', () => {
  /** Writes chunks as fast as they are taken. */
  function flood(socket: Socket, chunk: string) {
    const write = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', write);
    write();
  }

  it.each([
    [
      'sends headers without an end',
      'The headers of the answer of HOST are too large.',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, `x-fill: ${'y'.repeat(1000)}\r\n`);
      },
    ],
    [
      'sends interim answers without an end',
      'HOST closed the connection before it answered.',
      (socket: Socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'),
    ],
    ['closes at once', 'HOST closed the connection before it answered.', (socket: Socket) => socket.destroy()],
    [
      'does not speak HTTP',
      'The answer of HOST is not HTTP (HPE_INVALID_CONSTANT).',
      (socket: Socket) => socket.end('220 mail.example.org ESMTP\r\n'),
    ],
    [
      'changes the protocol',
      'HOST closed the connection before it answered.',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])('that %s', async (_, error, answer) => {
    const port = await rawReceiver(answer);
    expect(await postTo(`http://127.0.0.1:${port}${PATH}`)).toEqual({
      ok: false,
      status: null,
      error: error.replace('HOST', `127.0.0.1:${port}`),
    });
  });

  it.each([
    ['never answers', () => undefined],
    [
      'sends one byte after the other',
      (socket: Socket) => {
        const timer = setInterval(() => socket.write('H'), 20);
        socket.on('close', () => clearInterval(timer));
        socket.write('HTTP/1.1 200 OK\r\nx: ');
      },
    ],
  ])('that %s has a bounded time', async (_, answer) => {
    const port = await rawReceiver(answer);
    expect(await postTo(`http://127.0.0.1:${port}/`, { timeoutMs: 200 })).toEqual({
      ok: false,
      status: null,
      error: `127.0.0.1:${port} did not answer within 0.2 s.`,
    });
  });

  it.each([
    ['200', { ok: true, status: 200, answer: expect.stringMatching(/^x{299}…$/) }],
    ['500', { ok: false, status: 500, error: expect.stringMatching(/^The receiver answers 500: x{299}…$/) }],
  ])('that answers %s with a gigabyte is read for 64 KiB', async (status, outcome) => {
    const closed = Promise.withResolvers<number>();
    const port = await rawReceiver((socket) => {
      socket.write(`HTTP/1.1 ${status} OK\r\ncontent-length: 1000000000\r\n\r\n`);
      flood(socket, 'x'.repeat(65_536));
      socket.on('close', () => closed.resolve(socket.bytesWritten));
    });
    expect(await postTo(`http://127.0.0.1:${port}/`)).toEqual(outcome);
    // Buffers of the system hold some megabytes.
    expect(await closed.promise).toBeLessThan(100_000_000);
  });

  it('has answered as soon as its status is known', async () => {
    const port = await rawReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx'));
    const time = new AbortController();
    const endAfterStatus: ChannelListener = (message) => {
      const { socket } = (message as { response: IncomingMessage }).response;
      if (socket.remotePort === port) setImmediate(() => time.abort());
    };
    subscribe('http.client.response.finish', endAfterStatus);
    onTestFinished(() => void unsubscribe('http.client.response.finish', endAfterStatus));
    expect(await postTo(`http://127.0.0.1:${port}/`, {}, time.signal)).toMatchObject({ ok: true, status: 200 });
  });
});

describe('an address that is not allowed', () => {
  const refusal = (subject: string) => ({
    ok: false,
    status: null,
    error: `${subject} is not public. Allow it with QUARTERDECK_WEBHOOK_ALLOW, or use another address.`,
  });

  it.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['https://169.254.169.254/latest/meta-data', '169.254.169.254'],
    ['http://[::1]:80/', '::1'],
    ['http://[::ffff:10.0.0.1]/', '::ffff:a00:1'],
    ['http://[64:ff9b::a9fe:a9fe]/', '64:ff9b::a9fe:a9fe'],
    ['http://[2002:7f00:1::]/', '2002:7f00:1::'],
    ['http://[fd00:ec2::254]/', 'fd00:ec2::254'],
  ])('is refused as %s', async (url, address) => {
    expect(await postTo(url, { allow: '' })).toEqual(refusal(address));
  });

  it.each(['localhost', 'localhost.', 'rebind.example.org'])('is refused as the name %s', async (host) => {
    const resolve: Resolve = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '::1', family: 6 },
    ];
    expect(await postTo(`http://${host}/`, { resolve, allow: '' })).toEqual(
      refusal(`${host} has the address ::1, which`),
    );
  });

  it('is refused when the name gets it between two deliveries', async () => {
    let answers = 0;
    const port = await receiver((_request, response) => {
      answers += 1;
      response.end();
    });
    const found = ['127.0.0.1', '127.0.0.2'];
    const resolve: Resolve = async () => [{ address: found.shift() ?? '127.0.0.3', family: 4 }];
    const url = `http://rebind.example.org:${port}/`;
    // The second lookup has another answer: within one delivery there is none.
    expect(await postTo(url, { resolve })).toEqual({ ok: true, status: 200 });
    expect(found).toHaveLength(1);
    expect(await postTo(url, { resolve })).toEqual(refusal('rebind.example.org has the address 127.0.0.2, which'));
    expect(answers).toBe(1);
  });

  it('is not looked up for longer than the time of a request', async () => {
    const resolve: Resolve = () => Promise.withResolvers<never>().promise;
    expect(await postTo('http://slow.example.org/', { resolve, timeoutMs: 50 })).toMatchObject({
      error: 'slow.example.org did not answer within 0.05 s.',
    });
  });

  it.each<[name: string, resolve: Resolve]>([
    ['has no addresses', async () => []],
    ['does not exist', () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))],
  ])('is not guessed for a name that %s', async (_, resolve) => {
    expect(await postTo(`http://none.example.org${PATH}`, { resolve })).toMatchObject({
      error: 'The name none.example.org cannot be resolved (ENOTFOUND).',
    });
  });
});

const INSIDE = { resolve: async () => [{ address: '10.9.8.7', family: 4 }], allow: '10.9.8.7' };

describe('a request through a proxy', () => {
  it('names the checked address to the proxy, and the host to the receiver', async () => {
    const proxy = await startConnectProxy();
    const hosts: (string | undefined)[] = [];
    const port = await receiver((request, response) => {
      hosts.push(request.headers.host, request.headers['proxy-authorization']);
      response.writeHead(204).end();
    });
    const proxies = readProxies({ HTTP_PROXY: proxy.url.replace('//', '//ann:hunter2@') });
    const url = `http://receiver.test:${port}/hook?a=1`;
    expect(await postTo(url, { ...INSIDE, proxies })).toEqual({ ok: true, status: 204 });
    const signed = `Basic ${Buffer.from('ann:hunter2').toString('base64')}`;
    expect(proxy.asked).toEqual([`POST http://10.9.8.7:${port}/hook?a=1 ${signed}`]);
    expect(hosts[0]).toBe(`receiver.test:${port}`);
  });

  it('is refused as without one where the address is not allowed, and goes directly to the own host', async () => {
    const proxy = await startConnectProxy();
    const proxies = readProxies({ HTTP_PROXY: proxy.url });
    const refused = await postTo('http://receiver.test/', { ...INSIDE, allow: '', proxies });
    expect(refused).toMatchObject({ error: expect.stringContaining('is not public') });
    const port = await receiver((_request, response) => response.writeHead(204).end());
    expect(await postTo(`http://receiver.test:${port}/`, { proxies })).toEqual({ ok: true, status: 204 });
    expect(proxy.asked).toEqual([]);
  });

  it.skipIf(openssl === undefined)('verifies the certificate of the receiver behind the tunnel', async () => {
    using authority = makeAuthority(openssl ?? '');
    const proxy = await startConnectProxy();
    const port = await listen(createTlsServer(authority.issue('hooks'), (_request, response) => response.end()));
    const options = { ...INSIDE, ca: authority.cert, proxies: readProxies({ HTTPS_PROXY: proxy.url }) };
    expect(await postTo(`https://receiver.test:${port}/`, options)).toEqual({ ok: true, status: 200 });
    expect(await postTo(`https://other.test:${port}/`, options)).toMatchObject({
      error: `The certificate of other.test:${port} is not valid (ERR_TLS_CERT_ALTNAME_INVALID).`,
    });
    expect(proxy.asked).toEqual(Array(2).fill(`CONNECT 10.9.8.7:${port}`));
  });
});

describe.skipIf(openssl === undefined)('TLS', () => {
  it('is verified, also where the environment turns the check off', async () => {
    using authority = makeAuthority(openssl ?? '');
    const port = await listen(createTlsServer(authority.issue('hooks'), (_request, response) => response.end()));
    const { cert: ca } = authority;
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await postTo(`https://localhost:${port}/`, { ca })).toEqual({ ok: true, status: 200 });
    expect(await postTo(`https://hooks.example.org:${port}/`, { ca })).toMatchObject({
      error: `The certificate of hooks.example.org:${port} is not valid (ERR_TLS_CERT_ALTNAME_INVALID).`,
    });
    expect(await postTo(`https://127.0.0.1:${port}/`)).toMatchObject({
      error: `The certificate of 127.0.0.1:${port} is not valid (UNABLE_TO_VERIFY_LEAF_SIGNATURE).`,
    });
    expect(await postTo(`http://127.0.0.1:${port}/`, { ca })).toMatchObject({ ok: false, status: null });
  });
});
