import { describe, expect, it } from 'vitest';
import { addressWithin, blocksWithin, plainAddress } from './address-blocks.ts';

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
