// A list of byte strings as one byte string: their number, their lengths, then the bytes.

const WORD = 4;

/** Joins byte strings. */
export function joinSections(sections: readonly Uint8Array[]): Buffer {
  const head = Buffer.allocUnsafe((sections.length + 1) * WORD);
  head.writeUInt32LE(sections.length, 0);
  for (const [i, { length }] of sections.entries()) head.writeUInt32LE(length, (i + 1) * WORD);
  return Buffer.concat([head, ...sections]);
}

/** Reverses {@link joinSections}. The results share the memory of `bytes`. */
export function splitSections(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  let at = (count + 1) * WORD;
  return Array.from({ length: count }, (_, i) => {
    const from = at;
    at += view.getUint32((i + 1) * WORD, true);
    return bytes.subarray(from, at);
  });
}

/** The bytes of a list of numbers. */
export const bytesOf = (numbers: Uint16Array | Uint32Array | Float64Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

// Copies: a section may begin at an address that the numbers cannot begin at.
export const toUint16 = (bytes: Uint8Array): Uint16Array => new Uint16Array(new Uint8Array(bytes).buffer);
export const toUint32 = (bytes: Uint8Array): Uint32Array => new Uint32Array(new Uint8Array(bytes).buffer);
export const toFloat64 = (bytes: Uint8Array): Float64Array => new Float64Array(new Uint8Array(bytes).buffer);
