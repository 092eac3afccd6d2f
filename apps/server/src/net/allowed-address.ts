// Decides which addresses the server may connect to for somebody who is no administrator of its host.
import { lookup } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import { addressWithin, plainAddress } from '@quarterdeck/core/addresses';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to all of its addresses. */
export type Resolve = (host: string) => Promise<readonly HostAddress[]>;

/** The usual {@link Resolve}. */
export const resolveName: Resolve = (host) => lookup(host, { all: true });

/** The host is, or has, an address that the server must not connect to. */
export class AddressNotAllowed extends Error {
  constructor(host: string, address: string, setting: string) {
    const subject = host === address ? address : `${host} has the address ${address}, which`;
    super(`${subject} is not public. Allow it with ${setting}, or use another address.`);
  }
}

/** Host of a URL, in the only spelling: IPv6 without brackets, IPv4 with dots. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Waits for a promise until the signal is aborted. A lookup of a name cannot be cancelled. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Means and rules of the decision. */
export interface AddressRules {
  readonly resolve: Resolve;
  /** Blocks of addresses that are not public and allowed, separated by spaces. */
  readonly allow: string;
  /** The setting that allows them. */
  readonly setting: string;
}

/**
 * Resolves a host and checks all of its addresses: a name with a single address that is not allowed is refused.
 *
 * @throws AddressNotAllowed
 */
export async function allowedAddresses(
  host: string,
  { resolve, allow, setting }: AddressRules,
  signal: AbortSignal,
): Promise<readonly [HostAddress, ...HostAddress[]]> {
  const family = isIP(host);
  const addresses = family === 0 ? await unlessAborted(resolve(host), signal) : [{ address: host, family }];
  const [first, ...others] = addresses;
  if (first === undefined) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
  for (const { address } of addresses) {
    if (!isPublicAddress(address) && !addressWithin(address, allow))
      throw new AddressNotAllowed(host, address, setting);
  }
  return [first, ...others];
}

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
