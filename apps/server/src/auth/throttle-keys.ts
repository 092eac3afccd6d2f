// What failed attempts are counted for, as text. A name is never in it: people type passwords where names belong.
import { hash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The network an address stands for: an IPv4 address itself, of an IPv6 address the /64, which is what one customer is
 * given. An IPv4 address written as IPv6 is that IPv4 address.
 */
export function networkOf(address: string): string {
  const plain = address.split('%')[0] ?? '';
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return 'unknown';
  const groups = groupsOf(plain);
  const [a, b, c, d, e, f, g = 0, h = 0] = groups;
  const isMapped = [a, b, c, d, e].every((group) => group === 0) && f === 0xffff;
  if (isMapped) return [g >> 8, g & 255, h >> 8, h & 255].join('.');
  return `${[a, b, c, d].map((group) => (group ?? 0).toString(16)).join(':')}::/64`;
}

/** The eight numbers of a well-formed IPv6 address. */
function groupsOf(address: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  let text = address;
  if (dotted !== null) {
    const [a, b, c, d] = dotted.slice(1).map(Number) as [number, number, number, number];
    text = `${address.slice(0, dotted.index)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  }
  const [head = '', tail] = text.split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return read(head);
  const [left, right] = [read(head), read(tail)];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
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
