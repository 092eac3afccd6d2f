// Decompresses bodies with a limit during the work: a few kilobytes can inflate to gigabytes.
// A namespace import: a named import that an older Node lacks would fail before the check of Node's version.
import type { Duplex } from 'node:stream';
import * as zlib from 'node:zlib';
import { AppError } from '@quarterdeck/core/plain';
import { snappySync } from './snappy.ts';

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

/** Content-Encoding (RFC 9110 8.4.1, RFC 8878) -> its inverse. */
const ENCODINGS: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', zlib.gunzipSync],
  ['x-gzip', zlib.gunzipSync],
  ['deflate', zlib.inflateSync],
  ['br', zlib.brotliDecompressSync],
  ['zstd', zlib.zstdDecompressSync],
  ['snappy', snappySync],
]);

/**
 * Reads the one encoding of a Content-Encoding header; undefined for none.
 *
 * @throws AppError `unsupported_media_type` for an unknown encoding, and for several
 */
export function readEncoding(header: string | undefined): string | undefined {
  const encoding = header?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  if (!ENCODINGS.has(encoding)) {
    const message = 'The Content-Encoding must be one of gzip, deflate, br, zstd and snappy, or absent.';
    throw new AppError('unsupported_media_type', { message });
  }
  return encoding;
}

/** The same as streams, for those encodings of which the beginning is of use. */
const STREAMS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
  ['zstd', zlib.createZstdDecompress],
]);
const LF = 0x0a;

/**
 * Decompresses a body up to the end of its first line, or to about `limit` bytes: more of it is not inflated.
 *
 * @throws AppError `bad_request` for bytes that do not begin with this encoding
 */
export async function inflateLine(bytes: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  const stream = STREAMS.get(encoding)?.();
  if (stream === undefined) return bytes;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream.end(bytes) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= limit || chunk.includes(LF)) break;
    }
  } catch (cause) {
    throw notEncoded(encoding, cause);
  }
  return Buffer.concat(chunks);
}

const notEncoded = (encoding: string, cause: unknown) =>
  new AppError('bad_request', { message: `The body is not valid ${encoding}.`, cause });

/**
 * Decompresses a body with an encoding of {@link readEncoding}. Stops once the output exceeds `limit` bytes. It takes
 * tens of milliseconds for megabytes, so call it on a thread without other work.
 *
 * @throws AppError `too_large`, or `bad_request` for bytes that do not have this encoding
 */
export function inflate(bytes: Uint8Array, encoding: string, limit: number): Uint8Array {
  try {
    return ENCODINGS.get(encoding)?.(bytes, { maxOutputLength: limit }) ?? bytes;
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) throw new AppError('too_large', { message: `The body inflates to more than ${limit} bytes.` });
    throw notEncoded(encoding, cause);
  }
}
