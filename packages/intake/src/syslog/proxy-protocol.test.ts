import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { type ProxyHeader, readProxyHeader } from './proxy-protocol.ts';

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

/** A header of version 2. */
function v2(command: number, family: number, payload: Buffer, length = payload.length): Buffer {
  return Buffer.concat([SIGNATURE, Buffer.from([command, family, length >> 8, length & 255]), payload]);
}
const IPV4 = Buffer.from([192, 0, 2, 7, 10, 0, 0, 1, 0x12, 0x34, 0x14, 0x14]);
const IPV6 = Buffer.from(`20010db8${'0'.repeat(23)}7${'20010db8'.padEnd(32, '0')}12341414`, 'hex');
const MAPPED = Buffer.from(`${'0'.repeat(20)}ffffc0000207${'0'.repeat(32)}12341414`, 'hex');

const text = (line: string) => Buffer.from(line, 'latin1');
const read = (bytes: Buffer) => readProxyHeader(bytes);
const header = (bytes: number, address?: string) => ({ kind: 'header', bytes, address });

describe('PROXY header, version 1', () => {
  it.each([
    ['PROXY TCP4 192.0.2.7 10.0.0.1 4711 5140\r\n', '192.0.2.7'],
    ['PROXY TCP6 2001:db8::7 2001:DB8::1 65535 0\r\n', '2001:db8::7'],
    ['PROXY TCP6 ::ffff:192.0.2.7 ::1 1 1\r\n', '192.0.2.7'],
    ['PROXY UNKNOWN\r\n', undefined],
    ['PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n', undefined],
  ])('reads from %j the address %s', (line, address) => {
    expect(read(text(line))).toEqual(header(line.length, address));
    expect(read(text(`${line}<11>app: text\n`))).toEqual(header(line.length, address));
    expect(read(text(line.slice(0, -1)))).toBeUndefined();
  });

  it.each([
    'PROXY TCP4 192.0.2.7 10.0.0.1 4711\r\n',
    'PROXY TCP4  192.0.2.7 10.0.0.1 4711 5140\r\n',
    'PROXY TCP4 192.0.2.7 10.0.0.1 4711 65536\r\n',
    'PROXY TCP4 192.0.2.256 10.0.0.1 4711 5140\r\n',
    'PROXY TCP4 2001:db8::7 2001:db8::1 4711 5140\r\n',
    'PROXY TCP6 192.0.2.7 10.0.0.1 4711 5140\r\n',
    'PROXY TCP6 fe80::1%eth0 ::1 4711 5140\r\n',
    'PROXY TCP4 192.0.2.7 10.0.0.1 4711 5140 \r\n',
    'PROXY UNKNOWNS\r\n',
    `PROXY TCP4 ${'1'.repeat(100)}`,
    `PROXY UNKNOWN ${'x'.repeat(92)}\r\n`,
  ])('refuses %j as malformed', (line) => {
    expect(read(text(line))).toEqual({ kind: 'malformed' });
  });
});

describe('PROXY header, version 2', () => {
  it.each<[string, Buffer, string | undefined]>([
    ['TCP over IPv4', v2(0x21, 0x11, IPV4), '192.0.2.7'],
    ['TCP over IPv6', v2(0x21, 0x21, IPV6), '2001:db8::7'],
    ['IPv4 written as IPv6', v2(0x21, 0x21, MAPPED), '192.0.2.7'],
    ['with more than the addresses', v2(0x21, 0x11, Buffer.concat([IPV4, Buffer.alloc(300, 7)])), '192.0.2.7'],
    ['LOCAL', v2(0x20, 0x11, IPV4), undefined],
    ['LOCAL without addresses', v2(0x20, 0x00, Buffer.alloc(0)), undefined],
    ['an unspecified family', v2(0x21, 0x00, Buffer.alloc(9)), undefined],
    ['datagrams', v2(0x21, 0x12, IPV4), undefined],
    ['Unix sockets', v2(0x21, 0x31, Buffer.alloc(216)), undefined],
    ['as long as it may be', v2(0x21, 0x11, Buffer.alloc(4080, IPV4)), '192.0.2.7'],
  ])('reads the address of %s', (_what, bytes, address) => {
    expect(read(bytes)).toEqual(header(bytes.length, address));
    expect(read(Buffer.concat([bytes, text('<11>app: text\n')]))).toEqual(header(bytes.length, address));
    expect(read(bytes.subarray(0, -1))).toBeUndefined();
  });

  it.each<[string, Buffer]>([
    ['version 1', v2(0x11, 0x11, IPV4)],
    ['version 3', v2(0x31, 0x11, IPV4)],
    ['an unknown command', v2(0x22, 0x11, IPV4)],
    ['an unknown family', v2(0x21, 0x41, IPV4)],
    ['an unknown transport', v2(0x21, 0x13, IPV4)],
    ['addresses that are cut', v2(0x21, 0x11, IPV4.subarray(0, 11))],
    ['addresses of the other family', v2(0x21, 0x21, IPV4)],
    ['too long', v2(0x21, 0x11, IPV4, 4081)],
    ['as long as its length can say', v2(0x20, 0x00, IPV4, 65_535)],
  ])('refuses %s as malformed', (_what, bytes) => {
    expect(read(bytes)).toEqual({ kind: 'malformed' });
  });
});

describe('other bytes', () => {
  it.each([
    ...['<11>app: text\n', 'PROXY down\n', 'PROXYTCP4 ', 'proxy TCP4 ', '\r\n\r\n<11>app: text', '\x16\x03\x01', '\n'],
  ])('recognises that %j is no header', (line) => {
    expect(read(text(line))).toEqual({ kind: 'none' });
  });
});

describe('any bytes', () => {
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(text('PROXY TCP4 '), text('PROXY TCP6 ::1 '), text('PROXY UNKNOWN'), text(' 1 2'), text('\r\n')),
    fc.constantFrom(
      SIGNATURE,
      v2(0x21, 0x11, IPV4),
      v2(0x21, 0x21, IPV6),
      v2(0x20, 0, IPV4),
      v2(0x21, 0x11, IPV4, 900),
    ),
    fc.tuple(fc.nat(255), fc.nat(255), fc.nat(65_535)).map(([a, b, n]) => v2(a, b, IPV6, n)),
  );
  const streams = fc.array(pieces, { maxLength: 6 }).map((parts) => Buffer.concat(parts));

  it('have the same result byte by byte and in one chunk, within the limits', () => {
    fc.assert(
      fc.property(streams, (bytes) => {
        const whole = read(bytes);
        let first: ProxyHeader | undefined;
        for (let n = 0; n <= bytes.length && first === undefined; n += 1)
          first = read(Buffer.from(bytes.subarray(0, n)));
        expect(first).toEqual(whole);
        if (whole?.kind === 'header') expect(whole.bytes).toBeLessThanOrEqual(Math.min(bytes.length, 4096));
      }),
      { numRuns: atMost(500, 2_000) },
    );
  });

  it('have a result within 4,096 bytes', () => {
    fc.assert(
      fc.property(streams, (bytes) => {
        expect(read(Buffer.concat([bytes, Buffer.alloc(4096 - Math.min(bytes.length, 4096), 'x')]))).toBeDefined();
      }),
    );
  });
});
