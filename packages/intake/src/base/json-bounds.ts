// Checks the limits of JSON on its bytes, in milliseconds. JSON.parse creates an object from every two bytes of
// `[{},{},...]`, which takes seconds and hundreds of megabytes.
import { AppError } from '@quarterdeck/core/plain';

/** Maximum depth of nested arrays and objects. */
export const MAX_JSON_DEPTH = 128;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LF = 0x0a;
const BACKSLASH = 0x5c;
/** `[` and `{`, and `]` and `}`, differ only in this bit. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Error for a body with too many values. */
export const tooManyValues = (max: number): AppError =>
  new AppError('too_large', { message: `The body has more than ${max} values. Send fewer records at once.` });

/**
 * Counts the elements of the outermost array; returns 1 for any other outermost value. Invalid JSON is read at least as
 * far as JSON.parse reads it.
 *
 * @param maxValues maximum number of arrays, objects, and elements or members beyond the first of each
 * @param perLine each line is a separate text, as in NDJSON: an open array does not continue on the next line
 * @throws AppError `too_large` beyond {@link MAX_JSON_DEPTH}, and for more than `maxValues` values
 */
export function checkJsonBounds(bytes: Uint8Array, maxValues: number, perLine = false): number {
  let depth = 0;
  let values = 0;
  let elements = 0;
  let isArray: boolean | undefined;
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at] as number;
    if (code === QUOTE) at = stringEnd(bytes, at + 1);
    else if (code === COMMA) {
      values += 1;
      if (depth === 1) elements += 1;
    } else if ((code | BRACE_BIT) === OPEN) {
      isArray ??= code !== OPEN;
      values += 1;
      depth += 1;
      if (depth > MAX_JSON_DEPTH) throw tooDeep();
    } else if ((code | BRACE_BIT) === CLOSE) depth -= 1;
    else if (code === LF && perLine) depth = 0;
    if (values > maxValues) throw tooManyValues(maxValues);
  }
  return isArray === true ? elements + 1 : 1;
}

const tooDeep = () => {
  const message = `The body nests values more than ${MAX_JSON_DEPTH} deep.`;
  return new AppError('too_large', { message });
};

/** Index of the quote that ends a string, of a line break (which no string may hold), or of the end of the bytes. */
function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== LF) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
