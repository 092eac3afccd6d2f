import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { clientHello, useAuthority } from '../../../../test/certificates.ts';
import { findProgram } from '../../../../test/programs.ts';
import { HOST, until, useReceivers } from '../../test/syslog-receivers.ts';
import type { SyslogReceiverOptions } from './syslog-receiver.ts';

/** Address of a peer that is not a proxy. */
const OTHER = '127.0.0.2';
const openssl = findProgram('openssl');
const { receive: start, dial } = useReceivers();

const authority = useAuthority();

const V1 = 'PROXY TCP4 192.0.2.7 10.0.0.1 4711 5140\r\n';
const V1_UNKNOWN = 'PROXY UNKNOWN\r\n';
const V2 = Buffer.from('0d0a0d0a000d0a515549540a2111000cc00002070a00000112341414', 'hex');
const V2_LOCAL = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex');

async function receive(options: Partial<SyslogReceiverOptions> = {}) {
  const started = await start({ proxies: '127.0.0.1', ...options });
  /** `address: text` of each line. */
  return { ...started, received: () => started.lines.map(({ address, log }) => `${address}: ${log}`) };
}

/** Resolves once the receiver has closed the connection. */
async function closed(socket: Socket): Promise<void> {
  socket.resume();
  await once(socket, 'close');
}

describe('PROXY protocol: a trusted proxy', () => {
  it('sends the address of the client, in one chunk with the lines or byte by byte', async () => {
    const { receiver, received } = await receive();
    for (const [i, [header, address]] of [
      [V1, '192.0.2.7'] as const,
      [V2, '192.0.2.7'] as const,
      [V1_UNKNOWN, HOST] as const,
      [V2_LOCAL, HOST] as const,
    ].entries()) {
      const bytes = Buffer.concat([Buffer.from(header), Buffer.from(`<11>app: one ${i}\n<11>app: two ${i}`)]);
      const own = () => received().slice(i * 4);
      const lines = [`${address}: one ${i}`, `${address}: two ${i}`];
      (await dial(receiver.port)).end(bytes);
      await until(() => expect(own()).toEqual(lines));
      const slow = await dial(receiver.port);
      slow.setNoDelay(true);
      for (const byte of bytes) await new Promise<void>((resolve) => slow.write(Buffer.of(byte), () => resolve()));
      slow.end();
      await until(() => expect(own()).toEqual([...lines, ...lines]));
    }
    expect(receiver.stats().refusedProxyHeaders).toBe(0);
  });

  it('is closed if it sends none, a malformed one or too long a one', async () => {
    const { receiver, received, log } = await receive();
    for (const [i, bytes] of [
      '<11>app: direct\n',
      'PROXY TCP4 192.0.2.7 nowhere 1 2\r\n<11>app: direct\n',
      `PROXY TCP4 ${'1'.repeat(200)}`,
    ].entries()) {
      const socket = await dial(receiver.port);
      socket.write(bytes);
      await closed(socket);
      expect(receiver.stats().refusedProxyHeaders, bytes).toBe(i + 1);
    }
    expect(log.warn).toHaveBeenCalledWith(expect.objectContaining({ address: HOST }), expect.any(String));
    expect(received()).toEqual([]);
  });

  it('is closed if its header is late', async () => {
    const { receiver } = await receive({ proxyHeaderTimeoutMs: 30 });
    const silent = await dial(receiver.port);
    const half = await dial(receiver.port);
    half.write('PROXY TCP4 192.0.2.7');
    await Promise.all([closed(silent), closed(half)]);
    expect(receiver.stats().refusedProxyHeaders).toBe(2);
  });

  it('may probe the port', async () => {
    const { receiver, received } = await receive();
    const socket = await dial(receiver.port);
    socket.end();
    await closed(socket);
    (await dial(receiver.port)).end(`${V1}<11>app: later\n`);
    await until(() => expect(received()).toEqual(['192.0.2.7: later']));
    expect(receiver.stats().refusedProxyHeaders).toBe(0);
  });
});

describe('PROXY protocol: any other peer', () => {
  it('is closed with a header of any kind', async () => {
    const { receiver, received } = await receive();
    for (const [i, header] of [V1, V2, V2_LOCAL, 'PROXY TCP4 192.0.2.7\r\n'].entries()) {
      const socket = await dial(receiver.port, OTHER);
      socket.write(Buffer.concat([Buffer.from(header), Buffer.from('<11>app: text\n')]));
      await closed(socket);
      expect(receiver.stats().refusedProxyHeaders).toBe(i + 1);
    }
    expect(received()).toEqual([]);
  });

  it('may send lines, also those that begin like a header', async () => {
    const { receiver, received } = await receive();
    for (const text of ['<11>app: text\n', 'PROXY server is down\n', 'P', '\r\n\r\n<11>app: late\n']) {
      (await dial(receiver.port, OTHER)).end(text);
    }
    const expected = ['P', 'PROXY server is down', 'late', 'text'].map((line) => `${OTHER}: ${line}`);
    await until(() => expect(received().toSorted()).toEqual(expected));
    expect(receiver.stats().refusedProxyHeaders).toBe(0);
  });

  it('is closed after the idle timeout', async () => {
    const { receiver } = await receive({ idleTimeoutMs: 30 });
    await closed(await dial(receiver.port, OTHER));
    expect(receiver.stats().refusedProxyHeaders).toBe(0);
  });
});

it('treats a header as a line without the PROXY protocol', async () => {
  const { receiver, received } = await receive({ proxies: undefined });
  (await dial(receiver.port)).end(`${V1}<11>app: text\n`);
  await until(() => expect(received()).toHaveLength(2));
  expect(received().every((line) => line.startsWith(HOST))).toBe(true);
});

it('closes connections without a complete header when it stops', async () => {
  const { receiver } = await receive();
  const [proxy, other] = [await dial(receiver.port), await dial(receiver.port, OTHER)];
  await Promise.all([receiver.close(), closed(proxy), closed(other)]);
  expect(receiver.stats().connections).toBe(0);
});

describe.skipIf(openssl === undefined)('PROXY protocol over TLS', () => {
  function tls() {
    return { port: 0, ...authority().issue('server') };
  }
  /** Sends bytes, performs the handshake and sends a line. */
  async function send(port: number, bytes: Uint8Array | string, line: string, localAddress?: string) {
    const below = await dial(port, localAddress);
    if (bytes.length > 0) below.write(bytes);
    const secure = connectTls({ socket: below, ca: authority().cert, host: HOST });
    secure.on('error', () => undefined);
    await once(secure, 'secureConnect');
    secure.end(line);
  }

  it('reads the header before the handshake', async () => {
    const { receiver, received } = await receive({ tls: tls() });
    const port = receiver.tlsPort ?? 0;
    await send(port, V2, '<11>app: one');
    await send(port, V1, '<11>app: two');
    await send(port, V2_LOCAL, '<11>app: three');
    await send(port, '', '<11>app: four', OTHER);
    const expected = ['192.0.2.7: one', '192.0.2.7: two', `${HOST}: three`, `${OTHER}: four`];
    await until(() => expect(received().toSorted()).toEqual(expected.toSorted()));
  });

  it('refuses the same connections as over TCP', async () => {
    const { receiver, received } = await receive({ tls: tls() });
    const port = receiver.tlsPort ?? 0;
    await expect(send(port, '', '<11>app: without')).rejects.toThrow();
    await expect(send(port, V2, '<11>app: not trusted', OTHER)).rejects.toThrow();
    expect(receiver.stats().refusedProxyHeaders).toBe(2);
    expect(received()).toEqual([]);
  });

  it('stops without waiting for a handshake', async () => {
    const { receiver, log } = await receive({ tls: tls() });
    const socket = await dial(receiver.tlsPort ?? 0, OTHER);
    socket.write(await clientHello());
    await once(socket, 'data');
    await Promise.all([receiver.close(), closed(socket)]);
    expect(log.warn.mock.lastCall?.[0].err.code).not.toBe('ERR_TLS_HANDSHAKE_TIMEOUT');
  });
});
