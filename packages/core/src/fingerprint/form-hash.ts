// Keys of normal forms. In a flood the same few forms repeat, so their keys are cached: finding one costs a fraction
// of making it, and makes no string.
import { hash } from 'node:crypto';

/**
 * Version of the rules, the first character of every key. Other rules need another version: groups of two versions are
 * never mixed, and the store recognises the groups of an earlier one.
 */
const VERSION = '6';

/** One form of one service, with its key. */
interface Entry {
  readonly service: string;
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
 * Returns the version and 22 characters: 128 bits of SHA-256 over the service and the first `length` of `units` as
 * UTF-8, in base64url. Two forms with the same slot evict each other, which only costs time.
 */
export function keyOf(units: Uint16Array, length: number, service: string): string {
  const sum = sumOf(units, length, service);
  const slot = (sum ^ (sum >>> 15)) & (SLOTS - 1);
  const known = entries[slot];
  if (known !== undefined && known.length === length && known.service === service && isSame(known.units, units, length))
    return known.key;
  const key = VERSION + hash('sha256', hashed(units, length, service), 'base64url').slice(0, 22);
  if (seen[slot] === sum) entries[slot] = { service, length, units: units.slice(0, length), key };
  seen[slot] = sum;
  return key;
}

/** A form has no U+0000, so the last one separates it from the service, and no two pairs have equal bytes. */
function hashed(units: Uint16Array, length: number, service: string): Uint8Array | string {
  const form = bytesOf(units, length);
  return service === '' ? form : `${service}\0${typeof form === 'string' ? form : Buffer.from(form)}`;
}

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

/** Returns a checksum of both, an unsigned number. */
function sumOf(units: Uint16Array, length: number, service: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < length; i += 1) sum = Math.imul(sum ^ (units[i] ?? 0), 0x01000193);
  for (let i = 0; i < service.length; i += 1) sum = Math.imul(sum ^ service.charCodeAt(i), 0x01000193);
  return sum >>> 0;
}

function isSame(known: Uint16Array, units: Uint16Array, length: number): boolean {
  for (let i = 0; i < length; i += 1) if (known[i] !== units[i]) return false;
  return true;
}
