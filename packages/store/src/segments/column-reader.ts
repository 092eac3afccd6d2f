// Reads columns that `column-writer.ts` has packed.
import { type ColumnForm, DIGITS_MAX, END, readAddress } from './column-writer.ts';
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

/** Values of one column. They are read when they are needed: methods throw where the bytes cannot be a column. */
export interface Column {
  open(): void;
  /** Most bytes of a value. */
  readonly longest: number;
  text(row: number): string;
  /** All values, where they are not many times the same; undefined in other columns. */
  texts?(): string[];
  /** Writes the value of a row at a place; returns the place behind it. */
  write(row: number, to: Uint8Array, at: number): number;
  /** Marks the rows whose value has a piece, and maybe some more; undefined where none has it. */
  mark(piece: Piece): Uint8Array | undefined;
  /** Values of which each is stored once, and by row the index of its value; undefined in other columns. */
  readonly list?: ValueList;
  readonly indexes?: Uint16Array;
  /** By row: the number of the IPv4 address; undefined in other columns. */
  readonly addresses?: Float64Array | undefined;
}

/** Values that follow each other, each with its end. */
export interface ValueList {
  readonly bytes: Buffer;
  /** Start of each value, and the end of the list. */
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

const textAt = ({ bytes, starts }: ValueList, i: number): string =>
  bytes.toString('utf8', starts[i], (starts[i + 1] as number) - 1);

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

/** Bytes of a column with `n` values. */
export interface StoredColumn {
  readonly form: ColumnForm;
  readonly n: number;
  readonly words: Buffer;
  readonly data: () => Buffer;
}

/** Reads a column. `earlier` are the columns in front of it. @throws RangeError where it is like none of them */
export function readColumn(stored: StoredColumn, earlier: readonly Column[]): Column {
  const { form } = stored;
  switch (form.kind) {
    case 'copy':
      return at(earlier, form.of);
    case 'text':
      return new TextColumn(stored);
    case 'words':
      return new WordColumn(stored, form.like === undefined ? undefined : at(earlier, form.like));
    default:
      return new NumberColumn(form, stored);
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
  readonly #stored: StoredColumn;
  #list: ValueList | undefined;

  constructor(stored: StoredColumn) {
    this.#stored = stored;
  }

  get list(): ValueList {
    this.#list ??= readList(this.#stored.data(), this.#stored.n);
    return this.#list;
  }

  get longest(): number {
    return longestOf(this.list);
  }

  open(): void {
    void this.list;
  }

  text(row: number): string {
    return textAt(this.list, row);
  }

  texts(): string[] {
    const { bytes, starts } = this.list;
    // At once: a call for each value takes three times as long.
    return starts.length === 1 ? [] : bytes.toString('utf8', 0, bytes.length - 1).split('\n');
  }

  write(row: number, to: Uint8Array, at: number): number {
    return writeValue(this.list, row, to, at);
  }

  mark(piece: Piece): Uint8Array | undefined {
    const marks = piece.markIn(this.list);
    return marks.includes(1) ? marks : undefined;
  }
}

class WordColumn implements Column {
  readonly #stored: StoredColumn;
  readonly #like: Column | undefined;
  #list: ValueList | undefined;
  #indexes: Uint16Array | undefined;
  readonly #texts: string[] = [];

  /** `like` is the column that has the same indexes. */
  constructor(stored: StoredColumn, like: Column | undefined) {
    this.#stored = stored;
    this.#like = like;
  }

  get list(): ValueList {
    this.#list ??= readList(this.#stored.words);
    return this.#list;
  }

  /** By row: index of the value in the list. */
  get indexes(): Uint16Array {
    this.#indexes ??= this.#readIndexes();
    return this.#indexes;
  }

  #readIndexes(): Uint16Array {
    const { data, n } = this.#stored;
    const indexes = this.#like === undefined ? Uint16Array.from(fromPlanes(data(), n)) : this.#like.indexes;
    const words = this.list.starts.length - 1;
    if (indexes === undefined || indexes.some((index) => index >= words))
      throw new RangeError('a column has no such word');
    return indexes;
  }

  get longest(): number {
    return longestOf(this.list);
  }

  open(): void {
    void this.indexes;
  }

  text(row: number): string {
    const index = this.indexes[row] as number;
    this.#texts[index] ??= textAt(this.list, index);
    return this.#texts[index];
  }

  write(row: number, to: Uint8Array, at: number): number {
    return writeValue(this.list, this.indexes[row] as number, to, at);
  }

  mark(piece: Piece): Uint8Array | undefined {
    const words = piece.markIn(this.list);
    if (!words.includes(1)) return undefined;
    const marks = new Uint8Array(this.#stored.n);
    for (let row = 0; row < marks.length; row += 1) marks[row] = words[this.indexes[row] as number] as number;
    return marks;
  }
}

type NumberForm = Extract<ColumnForm, { kind: 'number' | 'address' }>;

const ZERO = 0x30;
const DOT = 0x2e;

class NumberColumn implements Column {
  readonly longest = DIGITS_MAX;
  readonly #isAddress: boolean;
  readonly #digits: number;
  readonly #form: NumberForm;
  readonly #stored: StoredColumn;
  #read: Float64Array | undefined;

  constructor(form: NumberForm, stored: StoredColumn) {
    this.#isAddress = form.kind === 'address';
    this.#digits = form.digits ?? 0;
    this.#form = form;
    this.#stored = stored;
  }

  get #values(): Float64Array {
    this.#read ??= this.#readValues();
    return this.#read;
  }

  get addresses(): Float64Array | undefined {
    return this.#isAddress ? this.#values : undefined;
  }

  #readValues(): Float64Array {
    const { least, isStep } = this.#form;
    const values = fromPlanes(this.#stored.data(), this.#stored.n);
    let before = isStep ? least : 0;
    for (let i = 0; i < values.length; i += 1) {
      const stored = values[i] as number;
      if (isStep) before += stored % 2 === 1 ? -(stored + 1) / 2 : stored / 2;
      values[i] = isStep ? before : least + stored;
    }
    return values;
  }

  open(): void {
    void this.#values;
  }

  text(row: number): string {
    if (!this.#isAddress && this.#digits === 0) return String(this.#values[row]);
    const bytes = Buffer.alloc(DIGITS_MAX);
    return bytes.toString('latin1', 0, this.write(row, bytes, 0));
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
    // A value with zeros in front has them in the piece, too.
    const least = this.#digits > 0 || length === 1 ? 0 : 10 ** (length - 1);
    const power = 10 ** length;
    return this.#markValues((value) => (isWhole ? value === number : hasDigits(value, number, power, least)));
  }

  #markAddresses({ text, isWhole }: Piece): Uint8Array | undefined {
    if (!/^[\d.]{1,15}$/.test(text)) return undefined;
    const bytes = Buffer.alloc(DIGITS_MAX + 1);
    const whole = readAddress(Buffer.from(text), 0, text.length);
    if (whole < 0 && /\d{4}/.test(text)) return undefined;
    return this.#markValues((value) => {
      // Only the outer parts of an address that contains another one may be longer.
      if (whole >= 0 && (isWhole ? value !== whole : innerParts(value) !== innerParts(whole))) return false;
      return bytes.toString('latin1', 0, writeAddress(value, bytes, 0)).includes(text);
    });
  }

  #markValues(isMarked: (value: number) => boolean): Uint8Array | undefined {
    const values = this.#values;
    const marks = new Uint8Array(values.length);
    let found = false;
    for (let row = 0; row < marks.length; row += 1) {
      if (!isMarked(values[row] as number)) continue;
      marks[row] = 1;
      found = true;
    }
    return found ? marks : undefined;
  }
}

const innerParts = (address: number): number => Math.floor(address / 256) % 2 ** 16;

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

/** Writes the IPv4 address of a number. */
export function writeAddress(value: number, to: Uint8Array, at: number): number {
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
