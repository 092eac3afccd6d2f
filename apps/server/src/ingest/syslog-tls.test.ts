import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type Authority, type Certificate, makeAuthority } from '../../test/certificates.ts';
import { findProgram } from '../../test/programs.ts';
import { type SyslogReceiverOptions, startSyslogReceiver } from './syslog-receiver.ts';

const HOST = '127.0.0.1';
const openssl = findProgram('openssl');
const until = (check: () => void) => vi.waitFor(check, 20_000);
const closers: (() => Promise<void> | void)[] = [];

let authority: Authority | undefined;
let certificate: Certificate = { cert: '', key: '' };
function prepare() {
  authority ??= makeAuthority(openssl ?? '');
  if (certificate.cert === '') certificate = authority.issue('server');
  return { authority, certificate };
}

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => authority?.[Symbol.dispose]());

type ReceiveOptions = Partial<SyslogReceiverOptions> & { readonly handshakeMs?: number };

async function receive(clientCa?: string, { handshakeMs, ...options }: ReceiveOptions = {}) {
  const { cert, key } = prepare().certificate;
  const texts: string[] = [];
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const receiver = await startSyslogReceiver({
    host: HOST,
    port: 0,
    tls: { port: 0, cert, key, clientCa, ...(handshakeMs === undefined ? {} : { handshakeMs }) },
    onLines: (lines) => {
      texts.push(...lines.map((line) => line.log));
    },
    log,
    ...options,
  });
  closers.push(() => receiver.close());
  return { receiver, texts, log };
}

/** Connects a sender that trusts the authority of the test. */
async function dial(port: number | undefined, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port: port ?? 0, host: HOST, ca: prepare().authority.cert, ...options });
  closers.push(() => {
    socket.destroy();
  });
  await once(socket, 'secureConnect');
  return socket;
}

describe.skipIf(openssl === undefined)('syslog over TLS', () => {
  it('is received, counted by octets and by lines', async () => {
    const { receiver, texts } = await receive();
    const socket = await dial(receiver.tlsPort);
    socket.write('12 <11>app: one<11>app: two\n');
    socket.end('<11>app: last');
    await until(() => expect(texts).toEqual(['one', 'two', 'last']));
    expect(receiver.stats()).toMatchObject({ received: 3, refusedHandshakes: 0 });
  });

  it('is received beside UDP and TCP', async () => {
    const { receiver, texts } = await receive();
    expect(receiver.tlsPort).not.toBe(receiver.port);
    connectPlain(receiver.port, HOST).end('<11>app: plain');
    (await dial(receiver.tlsPort)).end('<11>app: secure');
    await until(() => expect(texts.toSorted()).toEqual(['plain', 'secure']));
  });

  it('reads a large message in many records', async () => {
    const { receiver, texts } = await receive();
    const socket = await dial(receiver.tlsPort);
    const text = `${'x'.repeat(10_000)} end`;
    const message = `<11>app: ${text}`;
    for (const part of `${message.length} ${message}`.match(/.{1,700}/g) ?? []) socket.write(part);
    await until(() => expect(texts).toEqual([text]));
  });

  it('accepts only senders with a certificate of the configured authority', async () => {
    const { authority } = prepare();
    const { receiver, texts, log } = await receive(authority.cert);
    const socket = await dial(receiver.tlsPort, authority.issue('sender'));
    socket.end('<11>app: known');
    await until(() => expect(texts).toEqual(['known']));
    using other = makeAuthority(openssl ?? '');
    for (const options of [{}, other.issue('stranger')]) {
      const stranger = await dial(receiver.tlsPort, { ...options, maxVersion: 'TLSv1.3' }).catch(() => undefined);
      stranger?.on('error', () => undefined);
      stranger?.end('<11>app: unknown');
    }
    await until(() => expect(receiver.stats().refusedHandshakes).toBe(2));
    expect(texts).toEqual(['known']);
    expect(log.warn).toHaveBeenCalled();
  });

  it('refuses old versions and other protocols, and continues', async () => {
    const { receiver, texts } = await receive();
    const old = dial(receiver.tlsPort, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' });
    await expect(old).rejects.toThrow();
    const plain = connectPlain(receiver.tlsPort ?? 0, HOST);
    plain.on('error', () => undefined);
    plain.write('<11>app: plain\n');
    await once(plain, 'close');
    await until(() => expect(receiver.stats().refusedHandshakes).toBe(2));
    (await dial(receiver.tlsPort)).end('<11>app: secure');
    await until(() => expect(texts).toEqual(['secure']));
  });

  it('uses a new certificate for new connections, keeps the old one if the new one is invalid, and ends no connection', async () => {
    const { authority } = prepare();
    const { receiver, texts } = await receive();
    const old = await dial(receiver.tlsPort);
    const serial = async () => (await dial(receiver.tlsPort)).getPeerX509Certificate()?.serialNumber;
    const first = await serial();
    const bad = { cert: authority.issue('one').cert, key: authority.issue('two').key };
    expect(() => receiver.renew(bad)).toThrow('QUARTERDECK_SYSLOG_TLS_CERT, _KEY');
    expect(await serial()).toBe(first);
    receiver.renew(authority.issue('renewed'));
    expect(await serial()).not.toBe(first);
    await expect(dial(receiver.tlsPort, { maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' })).rejects.toThrow();
    old.end('<11>app: on the old one');
    await until(() => expect(texts).toEqual(['on the old one']));
  });

  it('requires certificates of the new authority after a renewal', async () => {
    const { authority, certificate } = prepare();
    const { receiver, texts } = await receive(authority.cert);
    using other = makeAuthority(openssl ?? '');
    receiver.renew({ ...certificate, clientCa: other.cert });
    const stranger = await dial(receiver.tlsPort, authority.issue('sender')).catch(() => undefined);
    stranger?.on('error', () => undefined);
    await until(() => expect(receiver.stats().refusedHandshakes).toBe(1));
    (await dial(receiver.tlsPort, other.issue('sender'))).end('<11>app: known');
    await until(() => expect(texts).toEqual(['known']));
  });

  it('closes connections after the handshake timeout', async () => {
    const { receiver } = await receive(undefined, { handshakeMs: 30 });
    const silent = connectPlain(receiver.tlsPort ?? 0, HOST);
    await once(silent.resume(), 'close');
    expect(receiver.stats().refusedHandshakes).toBe(1);
  });

  it('refuses to start with an invalid certificate or a different key, and quotes no part of the key', async () => {
    const { authority, certificate } = prepare();
    const start = (cert: string, key: string) =>
      startSyslogReceiver({
        host: HOST,
        port: 0,
        tls: { port: 0, cert, key, clientCa: undefined },
        onLines: () => undefined,
        log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
      });
    const { key } = authority.issue('other');
    await expect(start(certificate.cert, key)).rejects.toThrow('QUARTERDECK_SYSLOG_TLS_CERT, _KEY');
    await expect(start('-----BEGIN CERTIFICATE-----', key)).rejects.toThrow('QUARTERDECK_SYSLOG_TLS_CERT, _KEY');
    const { receiver } = await receive();
    const taken = startSyslogReceiver({
      host: HOST,
      port: 0,
      tls: { port: receiver.tlsPort ?? 0, ...certificate, clientCa: undefined },
      onLines: () => undefined,
      log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    });
    await expect(taken).rejects.toThrow(`${receiver.tlsPort} for TLS cannot be opened (EADDRINUSE)`);
  });

  it('refuses connections over the limit of one address before their handshake', async () => {
    const { receiver } = await receive(undefined, { maxConnectionsPerAddress: 1 });
    const silent = connectPlain({ port: receiver.tlsPort ?? 0, host: HOST });
    closers.push(() => {
      silent.destroy();
    });
    await once(silent, 'connect');
    const late = connectPlain({ port: receiver.tlsPort ?? 0, host: HOST });
    late.on('error', () => {});
    await once(late, 'close');
    expect(receiver.stats()).toMatchObject({ refusedConnections: 1, refusedHandshakes: 0 });
    silent.destroy();
    await until(async () => (await dial(receiver.tlsPort)).destroy());
  });
});
