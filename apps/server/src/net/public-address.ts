// Tells public addresses from those that lead into a private network, to this host or nowhere.
import { isIPv4 } from 'node:net';
import { addressWithin, plainAddress } from '@quarterdeck/core/addresses';

/** Blocks of IPv4 that are not public (IANA's registry of special-purpose addresses), and one more. */
const IPV4_RESERVED = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; metadata of Alibaba Cloud
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // metadata of Azure
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; metadata of Oracle Cloud
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4, deprecated
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved; broadcast
].join(' ');

/** The only block of IPv6 with public addresses; all others are loopback, local, multicast or unassigned. */
const IPV6_GLOBAL = '2000::/3';
/** Blocks within {@link IPV6_GLOBAL} that are not public. */
const IPV6_RESERVED = [
  '2001::/23', // protocol assignments; Teredo, which holds an IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, deprecated, which holds an IPv4 address
  '3fff::/20', // documentation
].join(' ');

/** Prefix of IPv4 through NAT64 (RFC 6052). The last 32 bits are the address that is reached. */
const NAT64 = '64:ff9b::';

/** True if an address is public. False for text that is no address. */
export function isPublicAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  if (isIPv4(plain)) return !addressWithin(plain, IPV4_RESERVED);
  if (addressWithin(plain, `${NAT64}/96`)) {
    const [low, high] = plain.slice(NAT64.length).split(':').reverse();
    return !addressWithin(`::ffff:${high || '0'}:${low || '0'}`, IPV4_RESERVED);
  }
  return addressWithin(plain, IPV6_GLOBAL) && !addressWithin(plain, IPV6_RESERVED);
}
