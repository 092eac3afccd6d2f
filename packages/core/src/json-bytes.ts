// Decodes the bytes of a body as text and JSON.
import { AppError } from './base/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes UTF-8.
 *
 * @throws AppError `malformed_json` for invalid UTF-8
 */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError('malformed_json', { message: 'The body is not valid UTF-8.' });
  }
}

/**
 * Parses JSON.
 *
 * @throws AppError `malformed_json`
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser quotes the body, which may hold a password.
    throw new AppError('malformed_json');
  }
}

/** Tests for a body of only JSON white space (RFC 8259, section 2), which counts as no body. */
export function isBlankJson(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}
