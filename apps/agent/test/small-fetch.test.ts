import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readProxies, trustAuthorities } from '@quarterdeck/core/network';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeAuthority } from '../../../test/certificates.ts';
import { startConnectProxy } from '../../../test/connect-proxy.ts';
import { findProgram } from '../../../test/programs.ts';
import { smallFetch } from '../src/api/small-fetch.ts';
import { startFakeConsole } from './fake-console.ts';

const send = smallFetch(64 * 1024);
const openssl = findProgram('openssl');

describe('smallFetch', () => {
  it.skipIf(openssl === undefined)('goes through a proxy, and trusts a private authority', async () => {
    using authority = makeAuthority(openssl ?? '');
    const before = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(before));
    const proxy = await startConnectProxy();
    const server = createServer(authority.issue('server'), (_request, response) => response.end('yes')).listen(0);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `https://receiver.test:${(server.address() as AddressInfo).port}`;
    const through = smallFetch(1024, readProxies({ HTTPS_PROXY: proxy.url }));
    await expect(through(url, { headers: {} })).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    trustAuthorities(authority.cert, 'QUARTERDECK_CA_FILE');
    for (let n = 0; n < 2; n += 1) expect(await (await through(url, { headers: {} })).text()).toBe('yes');
    // The second request uses the tunnel of the first one.
    expect(proxy.asked).toEqual(Array(2).fill(`CONNECT ${new URL(url).host}`));
  });

  it.each([
    [200, 'x'.repeat(64 * 1024)],
    [404, ''],
    [302, 'elsewhere'],
  ])('hands on an answer as it is: %d', async (status, body) => {
    const server = await startFakeConsole();
    server.next.push({ status, headers: { 'retry-after': '7', location: '/elsewhere' }, body });
    const response = await send(server.url, { headers: {}, redirect: 'manual' });
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([status, '7', body]);
  });

  it('returns an answer without a body', async () => {
    const server = await startFakeConsole();
    server.next.push({ status: 204, body: '' });
    expect((await send(server.url, { headers: {} })).status).toBe(204);
  });

  it('aborts an answer that is too long', async () => {
    const server = await startFakeConsole();
    server.next.push({ body: 'x'.repeat(64 * 1024 + 1) });
    await expect(send(server.url, { headers: {} })).rejects.toThrow('an answer of more than 65536 bytes');
  });

  it.skipIf(openssl === undefined)('uses TLS, and rejects an unknown certificate', async () => {
    using authority = makeAuthority(openssl ?? '');
    const server = createServer(authority.issue('server'), (_, answer) => answer.end('in private'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(send(url, { headers: {} })).rejects.toThrow('certificate');
    const known = getCACertificates();
    onTestFinished(() => setDefaultCACertificates(known));
    setDefaultCACertificates([authority.cert]);
    expect(await (await send(url, { headers: {} })).text()).toBe('in private');
  });
});
