import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountKey, addressKey, networkOf, otpKey, otpPrefix, pairKey, pairPrefix } from './throttle-keys.ts';

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

describe('a key', () => {
  it('holds no username, and is the same in every notation of it', () => {
    expect(accountKey('Hunter2-is-my-password')).not.toMatch(/hunter2/i);
    expect(accountKey('ADMIN')).toBe(accountKey('admin'));
    expect(accountKey('José'.normalize('NFD'))).toBe(accountKey('José'.normalize('NFC')));
  });

  it('differs for each account, network and second factor', () => {
    const keys = ['straße', 'strasse', 'ann'].flatMap((name) => [accountKey(name), pairKey(name, '192.0.2.7')]);
    keys.push(addressKey('192.0.2.7'), addressKey('192.0.2.8'), pairKey('ann', '192.0.2.8'));
    keys.push(otpKey(12), otpKey(13), otpKey(12, '192.0.2.7'), otpKey(12, '192.0.2.8'));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => key.startsWith(pairPrefix('ann')))).toHaveLength(2);
    expect(keys.filter((key) => key.startsWith(otpPrefix(12)))).toHaveLength(2);
  });

  it('starts with the prefix of its account', () => {
    expect(pairKey('admin', '192.0.2.7').startsWith(pairPrefix('admin'))).toBe(true);
    expect(otpKey(12, '192.0.2.7').startsWith(otpPrefix(12))).toBe(true);
    expect(otpKey(123).startsWith(otpPrefix(12))).toBe(false);
  });
});
