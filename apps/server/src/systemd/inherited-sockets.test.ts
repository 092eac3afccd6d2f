import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inheritedSockets, type KindOf, kindOfSocket } from './inherited-sockets.ts';

const settings = { serve: new Set(['admin', 'console'] as const), syslogPort: 5140, syslogTlsPort: 6514 };
/** Descriptors 3 to 9 listen on TCP, and the others are UDP. */
const kindOf: KindOf = (fd) => (fd < 10 ? 'stream' : 'datagram');
const [HTTP, SYSLOG_TCP, TLS, SYSLOG_UDP] = [
  { fd: 3, name: 'http' },
  { fd: 4, name: 'syslog' },
  { fd: 5, name: 'syslog-tls' },
  { fd: 10, name: 'syslog' },
];

describe('inheritedSockets', () => {
  it('has none where none are passed', () => {
    expect(inheritedSockets([], { ...settings, syslogPort: 'off' }, kindOf)).toEqual({});
  });

  it.each([
    [[HTTP], { http: 3 }],
    [[SYSLOG_UDP, HTTP, SYSLOG_TCP], { http: 3, syslog: { tcp: 4, udp: 10 } }],
    [[SYSLOG_TCP, TLS, SYSLOG_UDP], { syslog: { tcp: 4, udp: 10 }, syslogTls: 5 }],
  ])('assigns sockets by name and kind, in any order', (sockets, expected) => {
    expect(inheritedSockets(sockets, settings, kindOf)).toEqual(expected);
  });

  it.each([
    ['an unknown name', [{ fd: 3, name: 'quarterdeckd.socket' }], {}, 'allowed for FileDescriptorName='],
    ['a second socket of HTTP', [HTTP, { fd: 6, name: 'http' }], {}, '2 sockets named "http"; allowed: one ListenStr'],
    ['UDP for HTTP', [{ fd: 10, name: 'http' }], {}, 'allowed: one ListenStream='],
    ['syslog without UDP', [SYSLOG_TCP], {}, 'one ListenStream= and one ListenDatagram='],
    ['syslog that is off', [SYSLOG_TCP, SYSLOG_UDP], { syslogPort: 'off' as const }, 'QUARTERDECK_SYSLOG_PORT is off'],
    ['TLS that is off', [TLS], { syslogTlsPort: 'off' as const }, 'QUARTERDECK_SYSLOG_TLS_PORT is off'],
    ['syslog of the other half', [SYSLOG_TCP, SYSLOG_UDP], { serve: new Set(['console'] as const) }, 'without admin'],
  ])('refuses %s', (_, sockets, changed, message) => {
    expect(() => inheritedSockets(sockets, { ...settings, ...changed }, kindOf)).toThrow(message);
  });
});

/** Descriptor of a handle; Node shows it only there. */
const descriptorOf = (handle: unknown): number => (handle as { fd: number }).fd;

describe.runIf(process.platform === 'linux')('kindOfSocket', () => {
  it.each(['127.0.0.1', '::1'])('tells TCP from UDP on %s', async (address) => {
    const tcp = createServer().listen(0, address);
    const udp = createSocket(address === '::1' ? 'udp6' : 'udp4').bind(0, address);
    onTestFinished(() => {
      tcp.close();
      udp.close();
    });
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
    expect(kindOfSocket(descriptorOf(Reflect.get(tcp, '_handle')))).toBe('stream');
    const state = Object.getOwnPropertySymbols(udp).find(({ description }) => description === 'state symbol');
    const { handle } = Reflect.get(udp, state ?? '') as { handle: unknown };
    expect(kindOfSocket(descriptorOf(handle))).toBe('datagram');
  });

  it('knows no kind for a file and for a descriptor that is not open', () => {
    expect(kindOfSocket(openSync('/dev/null', 'r'))).toBeUndefined();
    expect(kindOfSocket(9_999)).toBeUndefined();
  });
});
