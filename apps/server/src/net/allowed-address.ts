// Decides which addresses the server may connect to for somebody who is no administrator of its host.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressWithin } from '@quarterdeck/core/addresses';
import { isPublicAddress } from './public-address.ts';

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
