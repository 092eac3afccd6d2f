// Bounds of JSON, checked over its bytes. JSON.parse makes an object of every two bytes of `[{},{},...]`, which takes
// seconds and hundreds of megabytes where a look at the bytes takes milliseconds.
import { AppError } from '@quarterdeck/core/plain';

/** More arrays and objects inside each other than this are refused. */
export const MAX_JSON_DEPTH = 128;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LF = 0x0a;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ from each other in this bit alone. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The refusal of a body that holds too many values. */
export const tooManyValues = (max: number): AppError =>
  new AppError('too_large', { message: `The body holds more than ${max} values; send fewer records at once.` });

/**
 * Counts the elements of the outermost array; 1 where the outermost value is something else. Reads a text that is not JSON
 * as far as JSON.parse does, and perhaps further.
 *
 * @param maxValues arrays, objects, and elements or members beyond the first of each
 * @param perLine each line is a text of its own, as in NDJSON: what one leaves open does not reach into the next
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
  const message = `The body holds more than ${MAX_JSON_DEPTH} values inside each other.`;
  return new AppError('too_large', { message });
};

/** The place of the quote that ends a text, or of the line break that no text may hold, or the end of all. */
function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== LF) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
