import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './allowed-address.ts';

describe('isPublicAddress', () => {
  it.each([
    ...['1.1.1.1', '93.184.215.14', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0'],
    ...['223.255.255.255', '2606:4700::1111', '2a00:1450:4001:800::200e', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1'],
  ])('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['this host', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['a private address', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['an address behind carrier-grade NAT', '100.64.0.1'],
    ['metadata of Alibaba Cloud', '100.100.100.200'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['link-local', '169.254.1.1', 'fe80::1'],
    ['metadata of clouds', '169.254.169.254'],
    ['metadata of Azure', '168.63.129.16'],
    ['metadata of Oracle Cloud', '192.0.0.192'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['benchmarks', '198.19.0.1'],
    ['multicast', '224.0.0.1', 'ff02::1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped loopback in hex', '::ffff:7f00:1'],
    ['IPv4-mapped private, not compressed', '0:0:0:0:0:ffff:10.0.0.1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
    ['NAT64 of metadata in hex', '64:ff9b::a9fe:a9fe'],
    ['NAT64 of this host', '64:ff9b::'],
    ['NAT64 of this network', '64:ff9b::7f01'],
    ['NAT64 of a local prefix', '64:ff9b:1::1.1.1.1'],
    ['discard-only', '100::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['6to4 of loopback', '2002:7f00:1::1'],
    ['6to4 of a public address', '2002:101:101::1'],
    ['unique-local', 'fc00::1', 'fd12:3456::1'],
    ['metadata of AWS', 'fd00:ec2::254'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['segment routing', '5f00::1'],
    ['a name', 'localhost'],
    ['nothing', ''],
  ])('refuses %s: %s', (_, ...addresses) => {
    for (const address of addresses) expect(isPublicAddress(address), address).toBe(false);
  });
});
