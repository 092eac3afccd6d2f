// A list of byte strings as one byte string: their number, their lengths, a checksum, then the bytes.
import { crc32 } from 'node:zlib';

const WORD = 4;
/** Set in the number of byte strings where a checksum follows the lengths. Lists of version 0.1 have none. */
const SUMMED = 0x8000_0000;

/**
 * Joins byte strings. The checksum is about their lengths and the first of them: the others are compressed, and have
 * checksums of their own.
 */
export function joinSections(sections: readonly Uint8Array[]): Buffer {
  const head = Buffer.allocUnsafe((sections.length + 1) * WORD);
  head.writeUInt32LE(sections.length + SUMMED, 0);
  for (const [i, { length }] of sections.entries()) head.writeUInt32LE(length, (i + 1) * WORD);
  const sum = Buffer.allocUnsafe(WORD);
  sum.writeUInt32LE(sumOf(head, sections[0]), 0);
  return Buffer.concat([head, sum, ...sections]);
}

/**
 * Reverses {@link joinSections}. The results share the memory of `bytes`.
 *
 * @throws RangeError where a length or the checksum differs
 */
export function splitSections(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = view.getUint32(0, true);
  const isSummed = first >= SUMMED;
  const count = isSummed ? first - SUMMED : first;
  const headBytes = (count + 1) * WORD;
  let at = headBytes + (isSummed ? WORD : 0);
  if (at > bytes.length) throw new RangeError('the list is shorter than its head');
  const sections = Array.from({ length: count }, (_, i) => {
    const from = at;
    at += view.getUint32((i + 1) * WORD, true);
    return bytes.subarray(from, at);
  });
  if (at !== bytes.length) throw new RangeError('the list is not as long as its parts');
  if (isSummed && view.getUint32(headBytes, true) !== sumOf(bytes.subarray(0, headBytes), sections[0]))
    throw new RangeError('the checksum of the list differs');
  return sections;
}

const sumOf = (head: Uint8Array, first: Uint8Array | undefined): number =>
  first === undefined ? crc32(head) : crc32(first, crc32(head));

/** Bytes up to which a loop is faster than a call, which makes an object. */
const SHORT = 512;

/** Copies bytes to a place; returns their number. */
export function copyBytes(bytes: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  const length = end - start;
  if (length > SHORT) to.set(bytes.subarray(start, end), at);
  else for (let i = 0; i < length; i += 1) to[at + i] = bytes[start + i] as number;
  return length;
}

/** The bytes of a list of numbers. */
export const bytesOf = (numbers: Uint16Array | Uint32Array | Float64Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

// Copies: a section may begin at an address that the numbers cannot begin at.
export const toUint16 = (bytes: Uint8Array): Uint16Array => new Uint16Array(new Uint8Array(bytes).buffer);
export const toUint32 = (bytes: Uint8Array): Uint32Array => new Uint32Array(new Uint8Array(bytes).buffer);
export const toFloat64 = (bytes: Uint8Array): Float64Array => new Float64Array(new Uint8Array(bytes).buffer);
