import { lchown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { HOST_CERTIFICATES_MAX, HostCertificate } from '@quarterdeck/core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type Certificate, makeAuthority } from '../../../../test/certificates.ts';
import { findProgram } from '../../../../test/programs.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import type { Observed } from '../observe/watcher.ts';
import { certificatesOf, certificateWatcher } from './certificates.ts';

const { signal } = new AbortController();
const openssl = findProgram('openssl');
const DAY_MS = 86_400_000;

/** The time until which a described certificate is valid. */
const untilMs = (text = ''): number => Date.parse(/until (\S+)/.exec(text)?.[1] ?? '');

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe.skipIf(openssl === undefined)('certificates', () => {
  let one: Certificate;
  let two: Certificate;
  let authorityCert: string;

  beforeAll(() => {
    using authority = makeAuthority(openssl ?? '');
    one = authority.issue('one.example');
    two = authority.issue('two.example');
    authorityCert = authority.cert;
  });

  it('are described by subject, issuer, fingerprint and end', async () => {
    const path = join(await temporaryFolder(), 'chain.pem');
    await writeFile(path, `text\n${one.cert}${authorityCert}`);
    const { observed } = await certificateWatcher({ places: [{ path }], now: () => 0 }).look(undefined, signal);
    expect(observed[path]).toMatch(
      /^CN=one\.example; issuer CN=test authority; sha256 [\da-f]{16}; until \d{4}-\d\d-\d\dT\d\d:\d\dZ; 2 in the file$/,
    );
  });

  it('are found in a folder and below it, but keys and other files are not', async () => {
    const dir = await temporaryFolder();
    await mkdir(join(dir, 'live/one'), { recursive: true });
    await writeFile(join(dir, 'archive.pem'), one.cert);
    await symlink(join(dir, 'archive.pem'), join(dir, 'live/one/fullchain.pem'));
    await writeFile(join(dir, 'live/one/privkey.pem'), `${one.key}${one.cert}`);
    await writeFile(join(dir, 'live/one/only.crt'), one.key);
    await writeFile(join(dir, 'live/damaged.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    await writeFile(join(dir, 'notes.txt'), one.cert);
    const { observed } = await certificateWatcher({ places: [{ path: dir }], now: () => 0 }).look(undefined, signal);
    expect(Object.keys(observed).sort()).toEqual([join(dir, 'archive.pem'), join(dir, 'live/one/fullchain.pem')]);
  });

  it.runIf(process.getuid?.() === 0)('of root are not read through a link of an application', async () => {
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'roots'), one.cert);
    await symlink(join(dir, 'roots'), join(dir, 'app.pem'));
    await lchown(join(dir, 'app.pem'), 65_534, 65_534);
    const { observed } = await certificateWatcher({ places: [{ path: dir }], now: () => 0 }).look(undefined, signal);
    expect(observed).toEqual({});
  });

  it('change when a file is replaced or removed', async () => {
    const dir = await temporaryFolder();
    const path = join(dir, 'one.pem');
    await writeFile(path, one.cert);
    const { look } = certificateWatcher({ places: [{ path: dir }], now: () => 0 });
    const { observed } = await look(undefined, signal);
    await writeFile(path, two.cert);
    const { changes } = await look(observed, signal);
    expect(changes).toMatchObject([{ kind: 'certificate', field: path, from: observed[path] }]);
    expect(changes[0]?.to).toContain('CN=two.example');
    expect(changes[0]?.atMs).toBeGreaterThan(Date.now() - DAY_MS);
    const gone = await look({ ...observed, [join(dir, 'gone.pem')]: 'CN=gone' }, signal);
    expect(gone.changes).toContainEqual({ kind: 'certificate', field: join(dir, 'gone.pem'), from: 'CN=gone', to: '' });
  });

  it('change once when 14 and 3 days are left and when they expire', async () => {
    const path = join(await temporaryFolder(), 'one.pem');
    await writeFile(path, one.cert);
    let nowMs = 0;
    const { look } = certificateWatcher({ places: [{ path }], now: () => nowMs });
    let observed: Observed | undefined;
    const found: [string, number][] = [];
    observed = (await look(undefined, signal)).observed;
    const endMs = untilMs(observed[path]);
    for (const left of [15, 14, 13, 4, 3, 2, 1, -1, -2]) {
      nowMs = endMs - left * DAY_MS;
      const next = await look(observed, signal);
      observed = next.observed;
      for (const { to, atMs = 0 } of next.changes) found.push([to.split('; ').at(-1) ?? '', (endMs - atMs) / DAY_MS]);
    }
    const exact = found.map(([text, left]) => [text, Math.round(left) + 0]);
    expect(exact).toEqual([
      ['expires within 14 days', 14],
      ['expires within 3 days', 3],
      ['expired', 0],
    ]);
  });

  it('are asked for on ports, also invalid ones', async () => {
    const server = createServer(one);
    const port = await listen(server);
    const { look } = certificateWatcher({ places: [{ host: '127.0.0.1', port }], now: () => 0 });
    const { observed } = await look(undefined, signal);
    expect(observed[`127.0.0.1:${port}`]).toContain('CN=one.example');
    server.setSecureContext(two);
    const { changes } = await look(observed, signal);
    expect(changes).toMatchObject([{ field: `127.0.0.1:${port}`, to: expect.stringContaining('CN=two.example') }]);
  });

  it('stay as they were while a port does not answer, or answers with something else', async () => {
    const silent = await listen(createTcpServer());
    // The watcher leaves at once, so the end of the connection may be a reset.
    const speak = (socket: Socket) => socket.on('error', () => undefined).end('220 mail\r\n');
    const other = await listen(createTcpServer(speak));
    const ports = [silent, other, 1];
    const places = ports.map((port) => ({ host: '127.0.0.1', port }));
    const before = Object.fromEntries(ports.map((port) => [`127.0.0.1:${port}`, 'CN=one.example']));
    const { look } = certificateWatcher({ places, now: () => 0, timeoutMs: 100 });
    expect(await look(before, signal)).toEqual({ observed: before, changes: [] });
    expect(await look(undefined, signal)).toEqual({ observed: {}, changes: [] });
  });
});

describe('certificates in a report', () => {
  const described = (subject: string, until: string, more = '') =>
    `${subject}; issuer CN=ca; sha256 ${'ab'.repeat(8)}; until ${until}Z${more}`;

  it('are read from the descriptions, those that expire first', () => {
    const found = certificatesOf({
      '/late': described('CN=late', '2026-03-01T00:00', '; 2 in the file'),
      'a.example:443': described('CN=soon', '2026-01-01T00:00', '; 3 in the file; expires within 14 days'),
      '/old': described('CN=old', '2025-12-01T12:30', '; expired'),
    });
    expect(found.map(({ place, subject, expire }) => [place, subject, new Date(expire * 1000).toISOString()])).toEqual([
      ['/old', 'CN=old', '2025-12-01T12:30:00.000Z'],
      ['a.example:443', 'CN=soon', '2026-01-01T00:00:00.000Z'],
      ['/late', 'CN=late', '2026-03-01T00:00:00.000Z'],
    ]);
    expect(found[0]).toMatchObject({ issuer: 'CN=ca', fingerprint: 'abababababababab' });
  });

  it('have their own end although a subject looks like the rest of a description', () => {
    const subject = described('CN=liar', '2099-01-01T00:00', '; expired');
    const [found] = certificatesOf({ '/liar': described(subject, '2026-01-01T00:00') });
    expect(found).toMatchObject({ subject, expire: Date.UTC(2026, 0, 1) / 1000 });
    expect(certificatesOf({ '/other': 'CN=other' })).toEqual([]);
  });

  it('are no more than the server accepts', () => {
    const long = `/etc/${'x'.repeat(490)}`;
    const all = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`${long}${n}`, described(`CN=${'ü'.repeat(100)}`, '2026-01-01T00:00')]),
    );
    const found = certificatesOf(all);
    expect(z.array(HostCertificate).max(HOST_CERTIFICATES_MAX).safeParse(found).success).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(found))).toBeLessThan(160 * 1024);
    expect(found.length).toBeGreaterThan(100);
  });
});
