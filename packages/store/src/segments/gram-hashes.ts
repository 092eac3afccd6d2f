// Hashes of what a filter of texts knows: grams, whole values under a name, and IPv4 addresses.
import { readAddress } from './column-writer.ts';

/** Shortest text that the filter knows. */
const SHORT_GRAM = 3;
export const LONG_GRAM = 6;
/** Bytes of the shortest and of the longest IPv4 address. */
export const ADDRESS_MIN = 7;
const ADDRESS_MAX = 15;
/** Most grams of one text that are looked up: more tell nothing new. */
export const LOOKED_UP_MAX = 64;

/** ASCII letters in lower case, all other bytes unchanged. */
export const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Spreads 24 bits (three bytes) over 32. */
export function hashOfThree(three: number): number {
  const mixed = Math.imul(three ^ 0x9e3779, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

export function hashOfSix(first: number, second: number): number {
  let mixed = Math.imul(first, 0xcc9e2d51) ^ Math.imul(second, 0x1b873593);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

const hashBytes = (bytes: Uint8Array, seed: number): number => {
  let hash = seed;
  for (const byte of bytes) hash = Math.imul(hash ^ (FOLDED[byte] ?? 0), 0x01000193);
  return hash;
};

/** Begins the hashes of values under a name. */
export const seedOf = (name: string): number => hashBytes(Buffer.from(`${name}\0`), 0x811c9dc5);

/** Hashes of a whole value under a name, given by {@link seedOf}. */
const hashesFrom = (seed: number, value: string): readonly number[] => threeHashes(hashOfValue(seed, value));

const threeHashes = (hash: number): readonly number[] => [hash, secondHash(hash), thirdHash(hash)];

/** Hash of an IPv4 address as a number. Different addresses have different ones. */
export function hashOfAddress(address: number): number {
  let mixed = Math.imul(address ^ (address >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

export const secondHash = (hash: number): number => spread(Math.imul(hash, 0x85ebca6b));
export const thirdHash = (hash: number): number => spread(Math.imul(hash, 0xc2b2ae35));

export function hashOfValue(seed: number, value: string): number {
  let hash = seed;
  for (let i = 0; i < value.length; i += 1) {
    const unit = value.charCodeAt(i);
    if (unit > 0x7f) return spread(hashBytes(Buffer.from(value), seed));
    hash = Math.imul(hash ^ (FOLDED[unit] as number), 0x01000193);
  }
  return spread(hash);
}

const spread = (hash: number): number => (hash ^ (hash >>> 15)) >>> 0;

/** An IPv4 address as a number; undefined for another value. */
export function addressOf(value: string): number | undefined {
  if (value.length < ADDRESS_MIN || value.length > ADDRESS_MAX) return undefined;
  // Most values are not copied.
  if (value[1] !== '.' && value[2] !== '.' && value[3] !== '.') return undefined;
  const address = readAddress(Buffer.from(value), 0, value.length);
  return address < 0 ? undefined : address;
}

/** Hashes that a filter has where a line has a value under a name that is not in its text. */
export const hashesOfValue = (name: string, value: string): readonly number[] => hashesFrom(seedOf(name), value);

/**
 * Returns the hashes that a filter with addresses has where an IPv4 address is an ASCII token of a text, or a value.
 * Undefined where the given value is no such address.
 */
export function hashesOfAddress(value: string): readonly number[] | undefined {
  const address = addressOf(value);
  return address === undefined ? undefined : threeHashes(hashOfAddress(address));
}

/**
 * Returns the hashes that a filter has where a text is in the segment; none of a text that is too short. The grams of
 * six bytes come first, and the first few are from all over the text: any part of it may be the rare one.
 */
export function hashesOfText(text: string): number[] {
  const bytes = Buffer.from(text).map((byte) => FOLDED[byte] ?? 0);
  const three = (at: number) => ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  const long = spreadPlaces(bytes.length - LONG_GRAM + 1).map((at) => hashOfSix(three(at), three(at + SHORT_GRAM)));
  const short = spreadPlaces(bytes.length - SHORT_GRAM + 1).map((at) => hashOfThree(three(at)));
  return [...new Set([...long, ...short])].slice(0, LOOKED_UP_MAX);
}

/** The numbers below `n`, in an order of which each beginning is spread evenly. */
function spreadPlaces(n: number): number[] {
  const share = (place: number) => (place * GOLDEN) % 1;
  return Array.from({ length: Math.max(0, n) }, (_, place) => place).sort((a, b) => share(a) - share(b));
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
