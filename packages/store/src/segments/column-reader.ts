// Reads columns that `column-writer.ts` has packed.
import { type ColumnForm, DIGITS_MAX, END } from './column-writer.ts';
import { compileSearch, type TextSearch } from './text-search.ts';

/** A part of a text that is looked for within one value, without regard to the case of ASCII letters. */
export class Piece {
  readonly text: string;
  /** A value is the piece, else it contains it. */
  readonly isWhole: boolean;
  readonly #search: TextSearch;
  /** Length in bytes. */
  readonly length: number;
  /** Its number; -1 where it is none. */
  readonly number: number;

  constructor(text: string, isWhole: boolean) {
    this.text = text;
    this.isWhole = isWhole;
    this.length = Buffer.byteLength(text);
    this.number = /^\d+$/.test(text) && text.length <= DIGITS_MAX ? Number(text) : -1;
    this.#search = compileSearch([text]);
  }

  /** Marks the values of a list that have the piece, and maybe some more. */
  markIn({ bytes, starts }: ValueList): Uint8Array {
    const marks = new Uint8Array(starts.length - 1);
    this.#search(bytes, starts, (i) => {
      marks[i] = Number(!this.isWhole || (starts[i + 1] as number) - (starts[i] as number) - 1 === this.length);
    });
    return marks;
  }
}

/** Values of one column. */
export interface Column {
  /** Most bytes of a value. */
  readonly longest: number;
  /** Writes the value of a row at a place; returns the place behind it. */
  write(row: number, to: Uint8Array, at: number): number;
  /** Marks the rows whose value has a piece, and maybe some more; undefined where none has it. */
  mark(piece: Piece): Uint8Array | undefined;
  /** For each row the index of its value, and the different values; undefined where they are not stored so. */
  readonly words?: { readonly indexes: Uint16Array; readonly list: ValueList };
}

/** Values that follow each other, each with its end. */
export interface ValueList {
  readonly bytes: Buffer;
  /** Where each value begins, and the end of the list. */
  readonly starts: Uint32Array;
}

/** @throws RangeError unless the bytes are `n` values, or any number of them */
function readList(bytes: Buffer, n?: number): ValueList {
  const starts: number[] = [0];
  for (let at = bytes.indexOf(END); at >= 0; at = bytes.indexOf(END, at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== bytes.length || (n !== undefined && starts.length !== n + 1))
    throw new RangeError('a list has another number of values');
  return { bytes, starts: Uint32Array.from(starts) };
}

function writeValue({ bytes, starts }: ValueList, i: number, to: Uint8Array, at: number): number {
  let place = at;
  for (let from = starts[i] as number, end = (starts[i + 1] as number) - 1; from < end; from += 1) {
    to[place] = bytes[from] as number;
    place += 1;
  }
  return place;
}

function longestOf({ starts }: ValueList): number {
  let most = 0;
  for (let i = 1; i < starts.length; i += 1) most = Math.max(most, (starts[i] as number) - (starts[i - 1] as number));
  return most - 1;
}

/** Number of bytes of words in the head, and of the data of a column with `n` values. */
export function sizesOf(form: ColumnForm, n: number): { readonly words: number; readonly data: number } {
  switch (form.kind) {
    case 'words':
      return { words: form.size, data: form.like === undefined ? n * form.width : 0 };
    case 'text':
      return { words: 0, data: form.size };
    case 'copy':
      return { words: 0, data: 0 };
    default:
      return { words: 0, data: n * form.width };
  }
}

/** Reads a column with `n` values. `earlier` are the columns in front of it. @throws RangeError where it cannot be one */
export function readColumn(
  form: ColumnForm,
  n: number,
  words: Buffer,
  data: Buffer,
  earlier: readonly Column[],
): Column {
  switch (form.kind) {
    case 'copy':
      return at(earlier, form.of);
    case 'text':
      return new TextColumn(readList(data, n));
    case 'words': {
      const list = readList(words);
      const indexes = form.like === undefined ? Uint16Array.from(fromPlanes(data, n)) : at(earlier, form.like).words?.indexes;
      if (indexes === undefined) throw new RangeError('a column has the indexes of none');
      for (let i = 0; i < n; i += 1)
        if ((indexes[i] as number) >= list.starts.length - 1) throw new RangeError('a column has no such word');
      return new WordColumn(list, indexes);
    }
    default:
      return new NumberColumn(form, fromPlanes(data, n));
  }
}

function at(columns: readonly Column[], i: number): Column {
  const column = columns[i];
  if (column === undefined) throw new RangeError('a column is like none');
  return column;
}

/** Reverses the planes of `n` numbers. */
function fromPlanes(data: Uint8Array, n: number): Float64Array {
  const numbers = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    let factor = 1;
    let value = 0;
    for (let place = i; place < data.length; place += n) {
      value += (data[place] as number) * factor;
      factor *= 256;
    }
    numbers[i] = value;
  }
  return numbers;
}

class TextColumn implements Column {
  readonly longest: number;
  readonly #list: ValueList;

  constructor(list: ValueList) {
    this.#list = list;
    this.longest = longestOf(list);
  }

  write(row: number, to: Uint8Array, at: number): number {
    return writeValue(this.#list, row, to, at);
  }

  mark(piece: Piece): Uint8Array | undefined {
    const marks = piece.markIn(this.#list);
    return marks.includes(1) ? marks : undefined;
  }
}

class WordColumn implements Column {
  readonly longest: number;
  readonly words: { readonly indexes: Uint16Array; readonly list: ValueList };

  constructor(list: ValueList, indexes: Uint16Array) {
    this.words = { list, indexes };
    this.longest = longestOf(list);
  }

  write(row: number, to: Uint8Array, at: number): number {
    return writeValue(this.words.list, this.words.indexes[row] as number, to, at);
  }

  mark(piece: Piece): Uint8Array | undefined {
    const { list, indexes } = this.words;
    const words = piece.markIn(list);
    return words.includes(1) ? Uint8Array.from(indexes, (index) => words[index] as number) : undefined;
  }
}

type NumberForm = Extract<ColumnForm, { kind: 'number' | 'address' }>;

const ZERO = 0x30;
const DOT = 0x2e;

class NumberColumn implements Column {
  readonly longest: number;
  readonly #isAddress: boolean;
  readonly #digits: number;
  readonly #values: Float64Array;

  constructor({ kind, least, digits = 0, isStep }: NumberForm, stored: Float64Array) {
    this.#isAddress = kind === 'address';
    this.#digits = digits;
    this.longest = DIGITS_MAX + 1;
    let value = least;
    if (isStep) {
      this.#values = stored.map((step) => {
        value += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
        return value;
      });
    } else this.#values = stored.map((offset) => least + offset);
  }

  write(row: number, to: Uint8Array, at: number): number {
    const value = this.#values[row] as number;
    if (this.#isAddress) return writeAddress(value, to, at);
    return writeDigits(value, this.#digits === 0 ? lengthOf(value) : this.#digits, to, at);
  }

  mark(piece: Piece): Uint8Array | undefined {
    if (this.#isAddress) return this.#markAddresses(piece);
    const { number, length, isWhole } = piece;
    if (number < 0) return undefined;
    const values = this.#values;
    const marks = new Uint8Array(values.length);
    // A value with zeros in front has them in the piece, too.
    const least = this.#digits > 0 || length === 1 ? 0 : 10 ** (length - 1);
    const power = 10 ** length;
    let found = false;
    for (let row = 0; row < marks.length; row += 1) {
      const value = values[row] as number;
      if (!(isWhole ? value === number : hasDigits(value, number, power, least))) continue;
      marks[row] = 1;
      found = true;
    }
    return found ? marks : undefined;
  }

  #markAddresses({ text, isWhole }: Piece): Uint8Array | undefined {
    if (!/^[\d.]{1,15}$/.test(text)) return undefined;
    const marks = new Uint8Array(this.#values.length);
    const bytes = Buffer.alloc(DIGITS_MAX + 1);
    let found = false;
    for (let row = 0; row < marks.length; row += 1) {
      const value = bytes.toString("latin1", 0, this.write(row, bytes, 0));
      if (!(isWhole ? value === text : value.includes(text))) continue;
      marks[row] = 1;
      found = true;
    }
    return found ? marks : undefined;
  }
}

/** Tells whether the digits of a number contain those of `part`, which is below `power`. */
function hasDigits(number: number, part: number, power: number, least: number): boolean {
  for (let rest = number; rest >= least; rest = Math.floor(rest / 10)) {
    if (rest % power === part) return true;
    if (rest === 0) break;
  }
  return false;
}

function lengthOf(value: number): number {
  let [length, power] = [1, 10];
  while (value >= power) {
    length += 1;
    power *= 10;
  }
  return length;
}

function writeDigits(value: number, length: number, to: Uint8Array, at: number): number {
  let rest = value;
  for (let place = at + length - 1; place >= at; place -= 1) {
    const next = Math.floor(rest / 10);
    to[place] = ZERO + rest - next * 10;
    rest = next;
  }
  return at + length;
}

function writeAddress(value: number, to: Uint8Array, at: number): number {
  let place = at;
  for (let factor = 2 ** 24; factor >= 1; factor /= 256) {
    const part = Math.floor(value / factor) % 256;
    place = writeDigits(part, lengthOf(part), to, place);
    if (factor > 1) {
      to[place] = DOT;
      place += 1;
    }
  }
  return place;
}
