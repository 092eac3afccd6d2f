// Checks the limits of JSON on its bytes, in milliseconds. JSON.parse creates an object from every two bytes of
// `[{},{},...]`, which takes seconds and hundreds of megabytes.
import { AppError } from '@quarterdeck/core/plain';
import { PART_BYTES } from './body-parts.ts';

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

/** Elements of a body, and where it may be cut. */
export interface JsonBounds {
  /** Number of the elements of the outermost array, 1 for any other outermost value; of NDJSON the number of lines. */
  readonly elements: number;
  /** Places of commas between these elements, at least {@link PART_BYTES} apart. */
  readonly cuts: readonly number[];
}

/**
 * Counts the elements of the outermost array. Invalid JSON is read at least as far as JSON.parse reads it.
 *
 * @param maxValues maximum number of arrays, objects, and elements or members beyond the first of each
 * @param perLine each line is a separate text, as in NDJSON: an open array does not continue on the next line
 * @throws AppError `too_large` beyond {@link MAX_JSON_DEPTH}, and for more than `maxValues` values
 */
export function checkJsonBounds(bytes: Uint8Array, maxValues: number, perLine = false): JsonBounds {
  let depth = 0;
  let values = 0;
  let elements = 0;
  const cuts: number[] = [];
  let nextCut = PART_BYTES;
  let isArray: boolean | undefined;
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at] as number;
    if (code === QUOTE) {
      at = stringEnd(bytes, at + 1);
      // A string without an end may not hide that the next line begins.
      if (bytes[at] === LF) at -= 1;
    } else if (code === COMMA) {
      values += 1;
      if (depth === 1 && !perLine) {
        elements += 1;
        if (at >= nextCut) {
          cuts.push(at);
          nextCut = at + PART_BYTES;
        }
      }
    } else if ((code | BRACE_BIT) === OPEN) {
      isArray ??= code !== OPEN;
      values += 1;
      depth += 1;
      if (depth > MAX_JSON_DEPTH) throw tooDeep();
    } else if ((code | BRACE_BIT) === CLOSE) depth -= 1;
    else if (code === LF && perLine) {
      depth = 0;
      elements += 1;
    }
    if (values > maxValues) throw tooManyValues(maxValues);
  }
  if (perLine) return { elements: elements + 1, cuts: [] };
  return isArray === true ? { elements: elements + 1, cuts } : { elements: 1, cuts: [] };
}

const tooDeep = () => {
  const message = `The body nests values more than ${MAX_JSON_DEPTH} deep.`;
  return new AppError('too_large', { message });
};

/** Tells of each byte whether it ends a string or stands in front of a byte that does not: 1 or 0. */
const IS_STOP = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte === QUOTE || byte === LF || byte === BACKSLASH),
);

/** Index of the quote that ends a string, of a line break (which no string may hold), or of the end of the bytes. */
function stringEnd(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let at = from;
  for (; at < length; at += 1) {
    const code = bytes[at] as number;
    if (IS_STOP[code] === 0) continue;
    if (code !== BACKSLASH) return at;
    at += 1;
  }
  return at;
}
