import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressWithin, blocksWithin, networkOf, plainAddress } from './addresses.ts';

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:0DB8::0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
    ['', undefined],
    ['example.org', undefined],
    ['192.0.2.256', undefined],
  ])('normalises %s', (text, plain) => {
    expect(plainAddress(text)).toBe(plain);
  });
});

describe('a list of blocks', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.77', true],
    ['192.0.2.0/24', '192.0.3.77', false],
    ['192.0.2.0/24', '::ffff:192.0.2.77', true],
    ['192.0.2.0/24', '::ffff:192.0.3.77', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['192.0.2.7/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/32', '2001:db8:1::7', true],
    ['2001:db8::/32', '2001:db9::7', false],
    ['2001:db8::/32', '192.0.2.1', false],
    ['::/0', '2001:db8::1', true],
    ['::1', '::1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['::ffff:192.0.2.0/120', '192.0.2.77', true],
    ['::ffff:192.0.2.0/120', '::ffff:192.0.2.77', true],
    ['::ffff:192.0.2.0/120', '192.0.3.77', false],
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['::ffff:192.0.2.7', '192.0.2.8', false],
    ['198.51.100.0/24 2001:db8::/32 192.0.2.0/24', '192.0.2.1', true],
    ['192.0.2.0/24', '', false],
    ['192.0.2.0/24', 'nonsense', false],
  ])('%s contains %s: %s', (blocks, address, within) => {
    // Twice: the second call uses the cache.
    expect(addressWithin(address, blocks)).toBe(within);
    expect(addressWithin(address, blocks)).toBe(within);
  });

  it.each([
    ['192.0.2.0/25', '192.0.2.0/24', true],
    ['192.0.2.0/24', '192.0.2.0/24', true],
    ['192.0.2.0/23', '192.0.2.0/24', false],
    ['192.0.2.7', '192.0.2.0/24', true],
    ['::ffff:192.0.2.7', '192.0.2.0/24', true],
    ['192.0.2.7 198.51.100.1', '192.0.2.0/24', false],
    ['192.0.2.7 198.51.100.1', '192.0.2.0/24 198.51.100.0/24', true],
    ['2001:db8:1::/48', '2001:db8::/32', true],
    ['2001:db8::/31', '2001:db8::/32', false],
    ['', '192.0.2.0/24', false],
    ['192.0.2.0/24', '', true],
    ['', '', true],
  ])('%s within %s: %s', (inner, outer, within) => {
    expect(blocksWithin(inner, outer)).toBe(within);
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['0::ffff:10.20.130.240', '10.20.130.240'],
    ['1::ffff:192.0.2.7', '1:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the same in every notation of an address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1);
        for (const way of [compressed, address.toUpperCase(), `${address}%eth0`]) {
          expect(networkOf(way), way).toBe(networkOf(address));
        }
      }),
    );
  });

  it('is the first half of an IPv6 address and nothing of the second', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const half = fc.tuple(group, group, group, group);
    // `::ffff:0:0/96` is IPv4, which has a network for each address.
    const isMapped = ([a, b, c, d]: number[], [e, f]: number[]) =>
      [a, b, c, d, e].every((n) => n === 0) && f === 0xffff;
    fc.assert(
      fc.property(half, half, half, (network, host, other) => {
        fc.pre(!isMapped(network, host) && !isMapped(network, other));
        const of = (rest: number[]) => networkOf([...network, ...rest].map((n) => n.toString(16)).join(':'));
        expect(of(host)).toBe(`${network.map((n) => n.toString(16)).join(':')}::/64`);
        expect(of(other)).toBe(of(host));
      }),
    );
  });

  it('is an IPv4 address itself, in IPv6 too', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(networkOf(address)).toBe(address);
        expect(networkOf(`::ffff:${address}`)).toBe(address);
      }),
    );
  });

  it('exists for every text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(networkOf(text)).not.toBe('');
      }),
    );
  });
});
