// Keys of normal forms. In a flood the same few forms repeat, so their keys are cached: finding one costs a fraction
// of making it, and makes no string.
import { hash } from 'node:crypto';

/** One form with its key. The version of the rule is part of both. */
interface Entry {
  readonly version: string;
  readonly length: number;
  readonly units: Uint16Array;
  readonly key: string;
}

/**
 * Slots of the cache, a power of two. With forms of 100 characters this is about 3 MB, with the longest ones 24 MB.
 */
const SLOTS = 8_192;
const entries: (Entry | undefined)[] = new Array<Entry | undefined>(SLOTS).fill(undefined);
/** For each slot the checksum of its last form: a form that comes once, as most do, is not cached. */
const seen = new Uint32Array(SLOTS);
/** The maximum length of a form. */
const ascii = new Uint8Array(2_048);

/**
 * Returns the version and 22 characters: 128 bits of SHA-256 over the first `length` of `units` as UTF-8, in
 * base64url. Two forms with the same slot evict each other, which only costs time.
 */
export function keyOf(version: string, units: Uint16Array, length: number, service: string): string {
  // No form has U+0000.
  if (service !== '') return keyOfBytes(version, `${service}\0${Buffer.from(bytesOf(units, length))}`);
  const sum = sumOf(units, length);
  const slot = (sum ^ (sum >>> 15)) & (SLOTS - 1);
  const known = entries[slot];
  if (known !== undefined && known.length === length && known.version === version && isSame(known.units, units, length))
    return known.key;
  const key = keyOfBytes(version, bytesOf(units, length));
  if (seen[slot] === sum) entries[slot] = { version, length, units: units.slice(0, length), key };
  seen[slot] = sum;
  return key;
}

const keyOfBytes = (version: string, bytes: Uint8Array | string): string =>
  version + hash('sha256', bytes, 'base64url').slice(0, 22);

/** The form in UTF-8; overwritten by the next. */
function bytesOf(units: Uint16Array, length: number): Uint8Array | string {
  let all = length <= ascii.length ? 0 : 0xff;
  for (let i = 0; i < length && all < 0x80; i += 1) {
    const unit = units[i] ?? 0;
    all |= unit;
    ascii[i] = unit;
  }
  if (all < 0x80) return ascii.subarray(0, length);
  return Buffer.from(units.buffer, units.byteOffset, length * 2).toString('utf16le');
}

/** Converts to an unsigned number. */
function sumOf(units: Uint16Array, length: number): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < length; i += 1) sum = Math.imul(sum ^ (units[i] ?? 0), 0x01000193);
  return sum >>> 0;
}

function isSame(known: Uint16Array, units: Uint16Array, length: number): boolean {
  for (let i = 0; i < length; i += 1) if (known[i] !== units[i]) return false;
  return true;
}
