// Normalises IP addresses and tests them against address blocks: the only implementation of that test. `192.0.2.1` and
// `::ffff:192.0.2.1` are the same address.
import { BlockList, isIP, isIPv4 } from 'node:net';

interface Block {
  readonly family: 'ipv4' | 'ipv6';
  readonly network: string;
  readonly prefix: number;
}

interface Blocks {
  readonly blocks: readonly Block[];
  readonly list: BlockList;
}

/** Maximum number of cached texts. Beyond it the cache is cleared, so that an attacker cannot fill the memory. */
const CACHE_MAX = 1000;
const cache = new Map<string, Blocks>();

/** The form in which a socket for both families reports an IPv4 address. */
const MAPPED_PREFIX = '::ffff:';
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
/** Bits of `::ffff:0:0/96`, the block of the IPv4 addresses within IPv6. */
const MAPPED_BITS = 96;

/** Normalises an address: IPv4 if possible, otherwise compressed IPv6 without a zone; undefined for any other text. */
export function plainAddress(text: string): string | undefined {
  // The most frequent forms come first, because every request and datagram passes here.
  if (isIPv4(text)) return text;
  const dotted = text.startsWith(MAPPED_PREFIX) ? text.slice(MAPPED_PREFIX.length) : '';
  if (isIPv4(dotted)) return dotted;
  const [address = ''] = text.split('%');
  if (isIP(address) !== 6) return undefined;
  const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(compressed);
  if (mapped === null) return compressed;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Returns the network of an address: an IPv4 address itself, or the /64 of an IPv6 address, which one customer owns. An
 * IPv4 address written as IPv6 counts as IPv4.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (plain === undefined) return 'unknown';
  return isIPv4(plain) ? plain : `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/** Splits a compressed IPv6 address into its eight groups. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':'));
  if (tail === undefined) return read(head);
  const [left, right] = [read(head), read(tail)];
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}

function parseBlock(text: string): Block | undefined {
  const [address = '', bits] = text.split('/');
  const network = plainAddress(address);
  if (network === undefined) return undefined;
  const width = isIP(address) === 4 ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (isIP(network) === 6) return { family: 'ipv6', network, prefix };
  if (width === 32) return { family: 'ipv4', network, prefix };
  // A block wider than all of IPv4 is one of IPv6.
  if (prefix < MAPPED_BITS) return { family: 'ipv6', network: address, prefix };
  return { family: 'ipv4', network, prefix: prefix - MAPPED_BITS };
}

function listOf(blocks: readonly Block[]): BlockList {
  const list = new BlockList();
  for (const { network, prefix, family } of blocks) list.addSubnet(network, prefix, family);
  return list;
}

function parse(text: string): Blocks {
  let parsed = cache.get(text);
  if (parsed === undefined) {
    const blocks = text
      .split(' ')
      .map(parseBlock)
      .filter((block) => block !== undefined);
    parsed = { blocks, list: listOf(blocks) };
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(text, parsed);
  }
  return parsed;
}

/** True if an address lies in one of the blocks, which are separated by spaces. False for text that is no address. */
export function addressWithin(address: string, blocks: string): boolean {
  const plain = plainAddress(address);
  return plain !== undefined && parse(blocks).list.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
}

/** True if every block of `inner` lies in one of `outer`; an empty text means every address. */
export function blocksWithin(inner: string, outer: string): boolean {
  if (outer === '') return true;
  if (inner === '') return false;
  const outerBlocks = parse(outer).blocks;
  return parse(inner).blocks.every((block) =>
    outerBlocks.some(
      (one) =>
        one.family === block.family && one.prefix <= block.prefix && listOf([one]).check(block.network, block.family),
    ),
  );
}
