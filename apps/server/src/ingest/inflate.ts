// Compressed bodies. What comes out is bounded while it comes out: a few kilobytes can stand for gigabytes.
// As a whole: a name that an older Node lacks would keep it from saying that it is too old.
import * as zlib from 'node:zlib';
import { AppError } from '@quarterdeck/core/plain';

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

/** Content-Encoding (RFC 9110 8.4.1, RFC 8878) -> its inverse. */
const ENCODINGS: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', zlib.gunzipSync],
  ['x-gzip', zlib.gunzipSync],
  ['deflate', zlib.inflateSync],
  ['br', zlib.brotliDecompressSync],
  ['zstd', zlib.zstdDecompressSync],
]);

/**
 * The one encoding that a Content-Encoding names; undefined for none.
 *
 * @throws AppError `unsupported_media_type` for an unknown one, for several, and for any where none is allowed
 */
export function readEncoding(header: string | undefined, mayBeCompressed: boolean): string | undefined {
  const encoding = header?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  if (!mayBeCompressed) throw new AppError('unsupported_media_type', { message: 'The body must not be compressed.' });
  if (!ENCODINGS.has(encoding)) {
    const message = 'The Content-Encoding must be one of gzip, deflate, br and zstd, or absent.';
    throw new AppError('unsupported_media_type', { message });
  }
  return encoding;
}

/**
 * Undoes an encoding of {@link readEncoding}; gives up as soon as more than `limit` bytes have come out. Takes tens of
 * milliseconds for megabytes: it belongs on a thread where nobody waits for anything else.
 *
 * @throws AppError `too_large`, or `bad_request` where the bytes are not of that encoding
 */
export function inflate(bytes: Uint8Array, encoding: string, limit: number): Uint8Array {
  try {
    return ENCODINGS.get(encoding)?.(bytes, { maxOutputLength: limit }) ?? bytes;
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) throw new AppError('too_large', { message: `The body inflates to more than ${limit} bytes.` });
    throw new AppError('bad_request', { message: `The body is not valid ${encoding}.`, cause });
  }
}
