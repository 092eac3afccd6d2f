// Reads large bodies part by part: what is made of a part is gone before it becomes old, which the collection of
// garbage is several times faster with (decision 114).
import { AppError, parseJson } from '@quarterdeck/core/plain';

/** Bytes from which a part ends with its element or line. V8 moves texts of twice that size to the old generation. */
export const PART_BYTES = 64 * 1024;

const LF = 0x0a;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const BLANKS: readonly (number | undefined)[] = [0x20, 0x09, LF, 0x0d];

// A mark of byte order within the body is no white space.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a body, and yields the elements of an array part by part. `cuts` are places of commas between its elements,
 * see `checkJsonBounds`. Any other value is yielded alone.
 *
 * @throws AppError `malformed_json`, also behind valid parts
 */
export function* jsonParts(bytes: Uint8Array, cuts: readonly number[]): Generator<unknown> {
  const ends = [endOfBlanks(bytes), ...cuts, startOfBlanks(bytes)];
  const isArray = bytes[ends[0] as number] === OPEN && bytes[ends.at(-1) as number] === CLOSE;
  if (cuts.length === 0 || !isArray) {
    yield parseJson(bytes);
    return;
  }
  for (let i = 1; i < ends.length; i += 1) {
    yield parseElements(bytes.subarray((ends[i - 1] as number) + 1, ends[i])) ?? failAsWhole(bytes);
  }
}

/** Parses elements with commas between them; undefined where they are none. */
function parseElements(bytes: Uint8Array): unknown[] | undefined {
  try {
    const elements = JSON.parse(`[${utf8.decode(bytes)}]`) as unknown[];
    return elements.length === 0 ? undefined : elements;
  } catch {
    return undefined;
  }
}

/** An array is JSON if its parts are. The error is that of a body that is parsed as a whole. */
function failAsWhole(bytes: Uint8Array): never {
  parseJson(bytes);
  throw new AppError('malformed_json');
}

/** Place of the first byte that is not white space. */
function endOfBlanks(bytes: Uint8Array): number {
  let at = 0;
  while (BLANKS.includes(bytes[at])) at += 1;
  return at;
}

/** Place of the last byte that is not white space. */
function startOfBlanks(bytes: Uint8Array): number {
  let at = bytes.length - 1;
  while (BLANKS.includes(bytes[at])) at -= 1;
  return at;
}

/** Yields the lines of a body part by part. */
export function* linesParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; ) {
    const lineEnd = bytes.indexOf(LF, Math.min(bytes.length, from + PART_BYTES));
    const to = lineEnd < 0 ? bytes.length : lineEnd + 1;
    yield bytes.subarray(from, to);
    from = to;
  }
}
