import { describe, expect, it } from 'vitest';
import { defaultInterfaceV4, defaultInterfaceV6, pickAddress } from '../src/facts/address.ts';
import type { Interfaces } from '../src/facts/host.ts';

const HEAD = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n';
const route = (name: string, destination: string, flags: string, metric: number, mask = destination): string =>
  `${name}\t${destination}\t010200C0\t${flags}\t0\t0\t${metric}\t${mask}\t0\t0\t0\n`;
const anywhere6 = '0'.repeat(32);
const route6 = (name: string, destination: string, prefix: string, metric: string, flags: string): string =>
  `${destination} ${prefix} ${anywhere6} 00 fd000000000000000000000000000001 ${metric} 00000002 00000000 ${flags}     ${name}\n`;

describe('defaultInterfaceV4', () => {
  it.each<[string | undefined, string, string]>([
    [
      'eth1',
      'the default route',
      HEAD + route('eth0', '0002000A', '0001', 0, '00FFFFFF') + route('eth1', '00000000', '0003', 0),
    ],
    [
      'wlan0',
      'the lowest metric',
      HEAD + route('eth0', '00000000', '0003', 600) + route('wlan0', '00000000', '0003', 100),
    ],
    ['tun0', 'a route without gateway', HEAD + route('tun0', '00000000', '0001', 0)],
    [undefined, 'a route that is down', HEAD + route('eth0', '00000000', '0002', 0)],
    [undefined, 'a route that rejects', HEAD + route('eth0', '00000000', '0201', 0)],
    [undefined, 'half of the world', HEAD + route('tun0', '00000000', '0003', 0, '00000080')],
    [undefined, 'no routes', HEAD],
    [undefined, 'nothing', ''],
    [undefined, 'noise', '\0\0\ufffd\n\t\t\t\n00000000'],
  ])('finds %s by %s', (expected, _, table) => {
    expect(defaultInterfaceV4(table)).toBe(expected);
  });
});

describe('defaultInterfaceV6', () => {
  it.each<[string | undefined, string, string]>([
    ['eth0', 'the default route', route6('eth0', anywhere6, '00', '00000400', '00000003')],
    [
      'eth1',
      'the lowest metric',
      route6('eth0', anywhere6, '00', '00000400', '00000003') + route6('eth1', anywhere6, '00', '00000100', '00000003'),
    ],
    [undefined, "the kernel's own refusal on lo", route6('lo', anywhere6, '00', 'ffffffff', '00200200')],
    [undefined, 'another route', route6('eth0', `fd${'0'.repeat(30)}`, '40', '00000100', '00000001')],
    [undefined, 'nothing', ''],
  ])('finds %s by %s', (expected, _, table) => {
    expect(defaultInterfaceV6(table)).toBe(expected);
  });
});

const v4 = (address: string, internal = false) => ({ address, family: 'IPv4', internal }) as const;
const v6 = (address: string, internal = false) => ({ address, family: 'IPv6', internal }) as const;

describe('pickAddress', () => {
  const lo = [v4('127.0.0.1', true), v6('::1', true)];

  it.each<[string, string, Interfaces, string | undefined, string | undefined]>([
    ['192.0.2.2', 'the default route', { lo, eth0: [v4('203.0.113.1')], eth1: [v4('192.0.2.2')] }, 'eth1', undefined],
    [
      '203.0.113.1',
      'the first, without default route',
      { lo, eth0: [v4('203.0.113.1')], eth1: [v4('192.0.2.2')] },
      undefined,
      undefined,
    ],
    [
      '203.0.113.1',
      'not the bridge',
      { lo, docker0: [v4('172.17.0.1')], eth0: [v4('203.0.113.1')] },
      undefined,
      undefined,
    ],
    ['172.17.0.1', 'the bridge rather than nothing', { lo, docker0: [v4('172.17.0.1')] }, undefined, undefined],
    ['2001:db8::2', 'IPv6 alone', { lo, eth0: [v6('fe80::1'), v6('2001:db8::2')] }, undefined, 'eth0'],
    [
      '2001:db8::2',
      'the way out rather than a bridge',
      { lo, docker0: [v4('172.17.0.1')], eth0: [v6('2001:db8::2')] },
      undefined,
      'eth0',
    ],
    [
      '10.8.0.2',
      'a tunnel that is the way out',
      { lo, eth0: [v4('192.0.2.2')], tun0: [v4('10.8.0.2')] },
      'tun0',
      undefined,
    ],
    ['', 'link-local addresses only', { lo, eth0: [v4('169.254.9.9'), v6('fe80::1')] }, 'eth0', 'eth0'],
    ['', 'no interface', {}, undefined, undefined],
  ])('says "%s": %s', (expected, _, interfaces, defaultV4, defaultV6) => {
    expect(pickAddress(interfaces, defaultV4, defaultV6)).toBe(expected);
  });
});
