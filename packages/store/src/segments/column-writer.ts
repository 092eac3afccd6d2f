// Writes columns: values that stand in one place of many lines, packed by what they are.

/** Ends each value of a list. No value contains it. */
export const END = 0x0a;
/** Most digits of a number: all are exact. */
export const DIGITS_MAX = 15;

/**
 * Form of a column: how its values are stored. Widths are bytes of each number.
 *
 * - `number`: numbers from `least` on. `digits` is the length of all, where some begin with a zero; 0 = none does.
 *   `isStep`: differences to the value before, in zigzag form.
 * - `address`: IPv4 addresses as numbers.
 * - `words`: indexes in a list of `size` bytes. `like`: the indexes are those of that column.
 * - `text`: `size` bytes of values.
 * - `copy`: the values of column `of`, an earlier one.
 */
export type ColumnForm =
  | {
      readonly kind: 'number' | 'address';
      readonly least: number;
      readonly width: number;
      readonly digits?: number;
      readonly isStep?: true;
    }
  | { readonly kind: 'words'; readonly size: number; readonly width: number; readonly like?: number }
  | { readonly kind: 'text'; readonly size: number }
  | { readonly kind: 'copy'; readonly of: number };

/** A packed column. */
export interface PackedColumn {
  readonly form: ColumnForm;
  /** Values of which each is stored once. */
  readonly words?: Uint8Array;
  /** Rows that have the different values; undefined for all. */
  readonly rows?: readonly number[];
  readonly data: Uint8Array;
}

/** Values between places in some bytes. */
export interface Slices {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Numbers are short already: a list pays where fewer of them differ. */
const FEWER_WORDS = 6;
const NOTHING = new Uint8Array(0);
const WIDTH_MAX = 4;

/** Packs the columns of one table. They have the same number of values, at least one. */
export function packColumns(columns: readonly Slices[]): PackedColumn[] {
  const packed: PackedColumn[] = [];
  const indexes: (Uint16Array | undefined)[] = [];
  for (const [i, column] of columns.entries()) {
    const of = columns.findIndex((earlier, j) => j < i && packed[j]?.form.kind !== 'copy' && areSame(earlier, column));
    indexes.push(undefined);
    if (of >= 0) {
      const { rows } = packed[of] as PackedColumn;
      packed.push({ form: { kind: 'copy', of }, ...(rows && { rows }), data: NOTHING });
      continue;
    }
    const numbers = numbersOf(column);
    const words = numbers !== undefined && numbers.width <= 2 ? undefined : wordsOf(column, numbers && FEWER_WORDS);
    if (words !== undefined) {
      const like = indexes.findIndex((earlier) => earlier !== undefined && areEqual(earlier, words.indexes));
      const { width, list, rows } = words;
      const form = { kind: 'words', size: list.length, width } as const;
      if (like >= 0) packed.push({ form: { ...form, like }, words: list, rows, data: NOTHING });
      else {
        packed.push({ form, words: list, rows, data: planes(words.indexes, width) });
        indexes[i] = words.indexes;
      }
    } else packed.push(numbers === undefined ? packText(column) : packNumbers(numbers));
  }
  return packed;
}

function areSame(a: Slices, b: Slices): boolean {
  for (let i = 0; i < a.starts.length; i += 1) if (!isSameAt(a, i, b, i)) return false;
  return true;
}

function isSameAt(a: Slices, i: number, b: Slices, j: number): boolean {
  const [from, at] = [a.starts[i] as number, b.starts[j] as number];
  const length = (a.ends[i] as number) - from;
  if ((b.ends[j] as number) - at !== length) return false;
  for (let k = 0; k < length; k += 1) if (a.bytes[from + k] !== b.bytes[at + k]) return false;
  return true;
}

const areEqual = (a: Uint16Array, b: Uint16Array): boolean => a.every((index, i) => index === b[i]);

interface Numbers {
  readonly kind: 'number' | 'address';
  readonly digits: number;
  readonly values: Float64Array;
  readonly least: number;
  readonly width: number;
}

/** Number of bytes that a number up to `most` takes. */
const widthOf = (most: number): number => Math.max(1, Math.ceil(Math.log2(most + 1) / 8));

/** The values as numbers; undefined where one of them cannot be written from its number. */
function numbersOf(column: Slices): Numbers | undefined {
  const read = valuesAs(column, readDigits);
  if (read === undefined) {
    const addresses = valuesAs(column, readAddress);
    return addresses && toNumbers('address', 0, addresses);
  }
  const digits = commonLength(column);
  return digits === undefined ? undefined : toNumbers('number', digits, read);
}

function toNumbers(kind: Numbers['kind'], digits: number, values: Float64Array): Numbers | undefined {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i += 1) {
    least = Math.min(least, values[i] as number);
    most = Math.max(most, values[i] as number);
  }
  const range = most - least;
  return range < 2 ** 32 ? { kind, digits, values, least, width: widthOf(range) } : undefined;
}

type ReadNumber = (bytes: Uint8Array, from: number, to: number) => number;

function valuesAs({ bytes, starts, ends }: Slices, read: ReadNumber): Float64Array | undefined {
  const values = new Float64Array(starts.length);
  for (let i = 0; i < starts.length; i += 1) {
    const value = read(bytes, starts[i] as number, ends[i] as number);
    if (value < 0) return undefined;
    values[i] = value;
  }
  return values;
}

const ZERO = 0x30;

/** Reads a number of digits only; -1 for another value. */
function readDigits(bytes: Uint8Array, from: number, to: number): number {
  if (to === from || to - from > DIGITS_MAX) return -1;
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Reads an IPv4 address without needless zeros; -1 for another value. */
export function readAddress(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let part = 0;
  let length = 0;
  let parts = 0;
  for (let at = from; at <= to; at += 1) {
    const byte = at === to ? DOT : (bytes[at] as number);
    if (byte === DOT) {
      if (length === 0 || part > 255) return -1;
      value = value * 256 + part;
      part = 0;
      length = 0;
      parts += 1;
      continue;
    }
    const digit = byte - ZERO;
    if (digit < 0 || digit > 9 || parts > 3 || length > 2 || (length > 0 && part === 0)) return -1;
    part = part * 10 + digit;
    length += 1;
  }
  return parts === 4 ? value : -1;
}

const DOT = 0x2e;

/** 0 where no number begins with a zero, else the length of all of them; undefined where that differs. */
function commonLength({ bytes, starts, ends }: Slices): number | undefined {
  const length = (ends[0] as number) - (starts[0] as number);
  let [hasZero, isCommon] = [false, true];
  for (let i = 0; i < starts.length; i += 1) {
    const own = (ends[i] as number) - (starts[i] as number);
    isCommon &&= own === length;
    hasZero ||= own > 1 && bytes[starts[i] as number] === ZERO;
  }
  if (!hasZero) return 0;
  return isCommon ? length : undefined;
}

function packNumbers({ kind, digits, values, least, width }: Numbers): PackedColumn {
  const form = { kind, least, ...(digits > 0 && { digits }) };
  // Loops: each number that a function returns would be an object.
  const steps = new Float64Array(values.length);
  let before = least;
  let most = 0;
  for (let i = 0; i < values.length; i += 1) {
    const step = (values[i] as number) - before;
    before = values[i] as number;
    steps[i] = step < 0 ? -2 * step - 1 : 2 * step;
    most = Math.max(most, steps[i] as number);
  }
  const stepWidth = widthOf(most);
  if (stepWidth < width) return { form: { ...form, width: stepWidth, isStep: true }, data: planes(steps, stepWidth) };
  for (let i = 0; i < values.length; i += 1) values[i] = (values[i] as number) - least;
  return { form: { ...form, width }, data: planes(values, width) };
}

/** The lowest bytes of all numbers, then the next ones: bytes of one place are alike. */
function planes(numbers: Float64Array | Uint16Array, width: number): Uint8Array {
  const n = numbers.length;
  const data = new Uint8Array(n * Math.min(width, WIDTH_MAX));
  for (let i = 0; i < n; i += 1) {
    let rest = (numbers[i] as number) >>> 0;
    for (let at = i; at < data.length; at += n) {
      data[at] = rest;
      rest >>>= 8;
    }
  }
  return data;
}

interface Words {
  readonly list: Uint8Array;
  /** Rows of the first value that is each word. */
  readonly rows: readonly number[];
  readonly indexes: Uint16Array;
  readonly width: number;
}

/** The different values, and the index of each value; undefined where more than 1 of `share` values differ. */
function wordsOf(column: Slices, share = 2): Words | undefined {
  const { bytes, starts, ends } = column;
  const n = starts.length;
  const most = Math.min(Math.floor(n / share), 2 ** 16);
  const mask = 2 ** Math.ceil(Math.log2(most * 2 + 2)) - 1;
  /** By hash: the index of a word, counted from 1; 0 = none. */
  const places = new Uint32Array(mask + 1);
  const indexes = new Uint16Array(n);
  const rows: number[] = [];
  let size = 0;
  for (let i = 0; i < n; i += 1) {
    const [from, to] = [starts[i] as number, ends[i] as number];
    let hash = 0x811c9dc5;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    let place = (hash ^ (hash >>> 15)) & mask;
    let word = places[place] as number;
    while (word > 0 && !isSameAt(column, rows[word - 1] as number, column, i)) {
      place = (place + 1) & mask;
      word = places[place] as number;
    }
    if (word === 0) {
      if (rows.length === most) return undefined;
      rows.push(i);
      word = rows.length;
      places[place] = word;
      size += to - from + 1;
    }
    indexes[i] = word - 1;
  }
  return { list: joined(column, size, rows), rows, indexes, width: widthOf(rows.length - 1) };
}

/** The values of some rows, or of all, in a list of `size` bytes. */
function joined({ bytes, starts, ends }: Slices, size: number, rows?: readonly number[]): Uint8Array {
  const list = Buffer.allocUnsafe(size);
  let at = 0;
  const n = rows?.length ?? starts.length;
  for (let row = 0; row < n; row += 1) {
    const i = rows === undefined ? row : (rows[row] as number);
    for (let from = starts[i] as number; from < (ends[i] as number); from += 1) {
      list[at] = bytes[from] as number;
      at += 1;
    }
    list[at] = END;
    at += 1;
  }
  return list;
}

function packText(column: Slices): PackedColumn {
  const { starts, ends } = column;
  let size = starts.length;
  for (let i = 0; i < starts.length; i += 1) size += (ends[i] as number) - (starts[i] as number);
  return { form: { kind: 'text', size }, data: joined(column, size) };
}
