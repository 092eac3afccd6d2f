// Normal forms to keys. In a flood the same few forms come again and again, so the latest keys are remembered: finding
// one costs a fraction of making it, and makes no string.
import { hash } from 'node:crypto';

/** One form with its key. The version of the rule is part of both. */
interface Entry {
  readonly version: string;
  readonly length: number;
  readonly units: Uint16Array;
  readonly key: string;
}

/** A power of two. With forms of 100 characters this is about 1 MB, with the longest ones 6 MB. */
const SLOTS = 2_048;
const entries: (Entry | undefined)[] = new Array<Entry | undefined>(SLOTS).fill(undefined);

/**
 * The version and 22 characters: 128 bits of SHA-256 over the first `length` of `units`, in base64url.
 * Two forms that want the same slot put each other out; that costs time and nothing else.
 */
export function keyOf(version: string, units: Uint16Array, length: number): string {
  const slot = slotOf(units, length);
  const known = entries[slot];
  if (known !== undefined && known.length === length && known.version === version && isSame(known.units, units, length))
    return known.key;
  const form = Buffer.from(units.buffer, units.byteOffset, length * 2).toString('utf16le');
  const key = version + hash('sha256', form, 'base64url').slice(0, 22);
  entries[slot] = { version, length, units: units.slice(0, length), key };
  return key;
}

function slotOf(units: Uint16Array, length: number): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < length; i += 1) sum = Math.imul(sum ^ (units[i] ?? 0), 0x01000193);
  return (sum ^ (sum >>> 15)) & (SLOTS - 1);
}

function isSame(known: Uint16Array, units: Uint16Array, length: number): boolean {
  for (let i = 0; i < length; i += 1) if (known[i] !== units[i]) return false;
  return true;
}
