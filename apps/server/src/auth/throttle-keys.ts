// What failed attempts are counted for, as text. A name is never in it: people type passwords where names belong.
import { hash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { plainAddress } from '../net/address-blocks.ts';

/**
 * The network an address stands for: an IPv4 address itself, of an IPv6 address the /64, which is what one customer is
 * given. An IPv4 address written as IPv6 is that IPv4 address.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (plain === undefined) return 'unknown';
  return isIPv4(plain) ? plain : `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/** The eight groups of a compressed IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':'));
  if (tail === undefined) return read(head);
  const [left, right] = [read(head), read(tail)];
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}

/** An account by name, whether or not there is one: names that differ only in case are one account. */
const nameDigest = (username: string) => hash('sha256', username.normalize('NFC').toLowerCase());

export const accountKey = (username: string): string => `account:${nameDigest(username)}`;
export const addressKey = (network: string): string => `address:${network}`;
/** An account at a network it has lately signed in from. */
export const pairKey = (username: string, network: string): string => `pair:${nameDigest(username)}:${network}`;
/** A second factor; at a known network it has a budget of its own, as the password has. */
export const otpKey = (userId: number, knownNetwork?: string): string =>
  knownNetwork === undefined ? `otp:${userId}` : `otp:${userId}:${knownNetwork}`;

/** What the keys of an account at known networks begin with. */
export const pairPrefix = (username: string): string => `pair:${nameDigest(username)}:`;
export const otpPrefix = (userId: number): string => `otp:${userId}:`;
