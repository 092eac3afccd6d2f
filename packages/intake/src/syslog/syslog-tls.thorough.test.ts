import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { type Certificate, makeAuthority, useAuthority } from '../../../../test/certificates.ts';
import { findProgram } from '../../../../test/programs.ts';
import { HOST, until, useReceivers } from '../../test/syslog-receivers.ts';
import type { SyslogReceiverOptions } from './syslog-receiver.ts';

const openssl = findProgram('openssl');
const { receive: start, dial: dialPlain, onClose } = useReceivers();

const prepared = useAuthority();
let certificate: Certificate | undefined;
function prepare() {
  certificate ??= prepared().issue('server');
  return { authority: prepared(), certificate };
}

type ReceiveOptions = Partial<SyslogReceiverOptions> & { readonly handshakeMs?: number };

function receive(clientCa?: string, { handshakeMs, ...options }: ReceiveOptions = {}) {
  const { cert, key } = prepare().certificate;
  const tls = { port: 0, cert, key, clientCa, ...(handshakeMs === undefined ? {} : { handshakeMs }) };
  return start({ tls, ...options });
}

/** Connects a sender that trusts the authority of the test. */
async function dial(port: number | undefined, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port: port ?? 0, host: HOST, ca: prepare().authority.cert, ...options });
  onClose(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

describe.skipIf(openssl === undefined)('syslog over TLS', () => {
  it('is received beside TCP, counted by octets and by lines, also in many records', async () => {
    const { receiver, texts } = await receive();
    expect(receiver.tlsPort).not.toBe(receiver.port);
    (await dialPlain(receiver.port)).end('<11>app: plain');
    await until(() => expect(texts()).toEqual(['plain']));
    const socket = await dial(receiver.tlsPort);
    socket.write('12 <11>app: one<11>app: two\n');
    const text = `${'x'.repeat(10_000)} end`;
    const message = `<11>app: ${text}`;
    for (const part of `${message.length} ${message}`.match(/.{1,700}/g) ?? []) socket.write(part);
    socket.end('<11>app: last');
    await until(() => expect(texts()).toEqual(['plain', 'one', 'two', text, 'last']));
    expect(receiver.stats()).toMatchObject({ received: 5, refusedHandshakes: 0 });
  });

  it('accepts only senders with a certificate of the configured authority', async () => {
    const { authority } = prepare();
    const { receiver, texts, log } = await receive(authority.cert);
    const socket = await dial(receiver.tlsPort, authority.issue('sender'));
    socket.end('<11>app: known');
    await until(() => expect(texts()).toEqual(['known']));
    using other = makeAuthority(openssl ?? '');
    for (const options of [{}, other.issue('stranger')]) {
      const stranger = await dial(receiver.tlsPort, { ...options, maxVersion: 'TLSv1.3' }).catch(() => undefined);
      stranger?.on('error', () => undefined);
      stranger?.end('<11>app: unknown');
    }
    await until(() => expect(receiver.stats().refusedHandshakes).toBe(2));
    expect(texts()).toEqual(['known']);
    expect(log.warn).toHaveBeenCalled();
  });

  it('refuses old versions and other protocols, and continues', async () => {
    const { receiver, texts } = await receive();
    const old = dial(receiver.tlsPort, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' });
    await expect(old).rejects.toThrow();
    const plain = await dialPlain(receiver.tlsPort);
    plain.write('<11>app: plain\n');
    await once(plain, 'close');
    await until(() => expect(receiver.stats().refusedHandshakes).toBe(2));
    (await dial(receiver.tlsPort)).end('<11>app: secure');
    await until(() => expect(texts()).toEqual(['secure']));
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
    await until(() => expect(texts()).toEqual(['on the old one']));
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
    await until(() => expect(texts()).toEqual(['known']));
  });

  it('closes connections after the handshake timeout', async () => {
    const { receiver } = await receive(undefined, { handshakeMs: 30 });
    const silent = await dialPlain(receiver.tlsPort);
    await once(silent.resume(), 'close');
    expect(receiver.stats().refusedHandshakes).toBe(1);
  });

  it('refuses to start with an invalid certificate or a different key, and quotes no part of the key', async () => {
    const { authority, certificate } = prepare();
    const begin = (cert: string, key: string, port = 0) => start({ tls: { port, cert, key, clientCa: undefined } });
    const { key } = authority.issue('other');
    await expect(begin(certificate.cert, key)).rejects.toThrow('QUARTERDECK_SYSLOG_TLS_CERT, _KEY');
    await expect(begin('-----BEGIN CERTIFICATE-----', key)).rejects.toThrow('QUARTERDECK_SYSLOG_TLS_CERT, _KEY');
    const { receiver } = await receive();
    const taken = begin(certificate.cert, certificate.key, receiver.tlsPort);
    await expect(taken).rejects.toThrow(`${receiver.tlsPort} for TLS cannot be opened (EADDRINUSE)`);
  });

  it('refuses connections over the limit of one address before their handshake', async () => {
    const { receiver } = await receive(undefined, { maxConnectionsPerAddress: 1 });
    const silent = await dialPlain(receiver.tlsPort);
    await once(await dialPlain(receiver.tlsPort), 'close');
    expect(receiver.stats()).toMatchObject({ refusedConnections: 1, refusedHandshakes: 0 });
    silent.destroy();
    await until(async () => (await dial(receiver.tlsPort)).destroy());
  });
});
