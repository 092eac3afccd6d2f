// Decompresses the block format of Snappy, which Loki's senders use. The libraries of npm for it are native, or have
// had no release for years.
// Format: https://github.com/google/snappy/blob/main/format_description.txt

const LITERAL = 0;
const ONE_BYTE_OFFSET = 1;
const TWO_BYTE_OFFSET = 2;

/** Error of bytes that are not a block of Snappy. */
const invalid = () => new Error('the bytes are not a block of Snappy');

/**
 * Decompresses a block. The head of a block tells the size of the output, which is checked before memory is taken.
 *
 * @throws Error with the code `ERR_BUFFER_TOO_LARGE`, as `node:zlib`, for more than `maxOutputLength` bytes
 * @throws Error for bytes that are no block
 */
export function snappySync(bytes: Uint8Array, { maxOutputLength }: { maxOutputLength: number }): Uint8Array {
  const { value: size, next } = readLength(bytes);
  if (size > maxOutputLength) throw Object.assign(invalid(), { code: 'ERR_BUFFER_TOO_LARGE' });
  const output = new Uint8Array(size);
  let from = next;
  let to = 0;
  while (from < bytes.length) {
    const tag = bytes[from] as number;
    const kind = tag & 3;
    from += 1;
    if (kind === LITERAL) {
      const extra = Math.max(0, (tag >> 2) - 59);
      const length = 1 + (extra === 0 ? tag >> 2 : readNumber(bytes, from, extra));
      from += extra;
      if (length > bytes.length - from || length > size - to) throw invalid();
      output.set(bytes.subarray(from, from + length), to);
      from += length;
      to += length;
      continue;
    }
    const isShort = kind === ONE_BYTE_OFFSET;
    const length = isShort ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const offsetBytes = isShort ? 1 : kind === TWO_BYTE_OFFSET ? 2 : 4;
    const offset = (isShort ? (tag >> 5) << 8 : 0) + readNumber(bytes, from, offsetBytes);
    from += offsetBytes;
    if (offset === 0 || offset > to || length > size - to) throw invalid();
    // A copy may overlap its own output: it then repeats.
    for (const end = to + length; to < end; to += 1) output[to] = output[to - offset] as number;
  }
  if (to !== size) throw invalid();
  return output;
}

/** Reads a number of `count` bytes, the least significant first. */
function readNumber(bytes: Uint8Array, at: number, count: number): number {
  if (at + count > bytes.length) throw invalid();
  let value = 0;
  for (let i = count - 1; i >= 0; i -= 1) value = value * 256 + (bytes[at + i] as number);
  return value;
}

/** Reads the size of the output: a varint of 32 bits. */
function readLength(bytes: Uint8Array): { value: number; next: number } {
  let value = 0;
  for (let i = 0; i < 5 && i < bytes.length; i += 1) {
    const byte = bytes[i] as number;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, next: i + 1 };
  }
  throw invalid();
}
