// Values of one field, or request ids, as a column: in the order of the texts, or of arrival, whichever is smaller.
import { type Column, Piece, readColumn, sizesOf } from './column-reader.ts';
import { type ColumnForm, END, type PackedColumn, packColumns, type Slices } from './column-writer.ts';
import { compress, decompressAll } from './damage.ts';

/** Values by place, 0 where a line has none. The list may end early. */
export type Values = readonly (string | 0)[];

/** Entry of a column in the head of all fields. */
export interface FieldHead {
  readonly form: ColumnForm;
  /** Number of its values. */
  readonly n: number;
  readonly isByArrival: boolean;
}

/** A packed column. */
export interface PackedField {
  readonly head: FieldHead;
  readonly bytes: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** Packs values of lines; undefined where they cannot be a column. `arrival` has the places of all lines. */
export function packField(values: Values, arrival: Uint32Array, level: number): PackedField | undefined {
  const n = arrival.length;
  /** By place: index among the values, counted from 1. */
  const indexes = new Uint32Array(n);
  const present: string[] = [];
  for (let place = 0; place < n; place += 1) {
    const value = values[place];
    if (value !== undefined && value !== 0) indexes[place] = present.push(value);
  }
  const slices = slicesOf(present);
  if (slices === undefined) return undefined;
  const stored = pack(slices, indexes, false, level);
  const { form } = stored.head;
  // Others are short in any order.
  if (form.kind !== 'number' || form.width === 1) return stored;
  const arrived = arrival.map((place) => indexes[place] as number);
  const order = arrived.filter((index) => index > 0);
  const { starts, ends } = slices;
  const inOrder = (list: Int32Array) => {
    const result = new Int32Array(order.length);
    for (let i = 0; i < order.length; i += 1) result[i] = list[(order[i] as number) - 1] as number;
    return result;
  };
  const byArrival = pack({ ...slices, starts: inOrder(starts), ends: inOrder(ends) }, arrived, true, level);
  return byArrival.bytes.length < stored.bytes.length ? byArrival : stored;
}

/** Packs values, and which lines have one: those with an index. */
function pack(values: Slices, indexes: Uint32Array, isByArrival: boolean, level: number): PackedField {
  const [column] = packColumns([values]) as [PackedColumn];
  const { form, words = NOTHING, data } = column;
  const n = values.starts.length;
  const mask = n === indexes.length ? NOTHING : bitsOf(indexes);
  return { head: { form, n, isByArrival }, bytes: compress(Buffer.concat([mask, words, data]), level) };
}

/** Lines that are numbered by arrival. */
export interface NumberedLines {
  /** Number of the first one. */
  readonly first: number;
  readonly n: number;
}

/**
 * Packs values in the order of arrival as they are, which is quicker. `numbers` has those of the lines that have one,
 * and `lists` the values, each with its end.
 */
export function packArrived(
  numbers: readonly Uint32Array[],
  lists: readonly Uint8Array[],
  { first, n }: NumberedLines,
  level: number,
): PackedField {
  const size = lists.reduce((sum, { length }) => sum + length, 0);
  const values = numbers.reduce((sum, { length }) => sum + length, 0);
  const head = { form: { kind: 'text', size }, n: values, isByArrival: true } as const;
  if (values === n) return { head, bytes: compress(Buffer.concat(lists), level) };
  const mask = new Uint8Array(bitBytes(n));
  for (const list of numbers) for (const number of list) setBit(mask, number - first);
  return { head, bytes: compress(Buffer.concat([mask, ...lists]), level) };
}

function bitsOf(indexes: Uint32Array): Uint8Array {
  const bits = new Uint8Array(bitBytes(indexes.length));
  for (let i = 0; i < indexes.length; i += 1) if ((indexes[i] as number) > 0) setBit(bits, i);
  return bits;
}

const bitBytes = (n: number): number => Math.ceil(n / 8);

function setBit(mask: Uint8Array, i: number): void {
  mask[i >>> 3] = (mask[i >>> 3] as number) | (1 << (i & 7));
}

const hasBit = (mask: Uint8Array, i: number): boolean => ((mask[i >>> 3] as number) & (1 << (i & 7))) !== 0;

/** Number of the bits that are set in front of one. */
function bitsBefore(mask: Uint8Array, end: number): number {
  let n = 0;
  for (let i = 0; i < end; i += 1) if (hasBit(mask, i)) n += 1;
  return n;
}

/** The values in UTF-8; undefined where that loses some of them. */
function slicesOf(values: readonly string[]): Slices | undefined {
  const text = values.join('\n');
  if (values.length === 0 || !text.isWellFormed()) return undefined;
  const bytes = Buffer.from(text);
  const starts = new Int32Array(values.length);
  const ends = new Int32Array(values.length);
  let n = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== END) continue;
    ends[n] = at;
    n += 1;
    // A place behind the last one is not written, and the number tells that a value has a line break.
    starts[n] = at + 1;
  }
  ends[n] = bytes.length;
  return n + 1 === values.length ? { bytes, starts, ends } : undefined;
}

/** A column that is read when it is needed. Its methods throw where the bytes are not those that were written. */
export class FieldColumn {
  readonly #head: FieldHead;
  readonly #packed: Uint8Array;
  readonly #arrival: () => Uint32Array;
  #open: { readonly mask: Uint8Array; readonly column: Column } | undefined;

  constructor(head: FieldHead, packed: Uint8Array, arrival: () => Uint32Array) {
    this.#head = head;
    this.#packed = packed;
    this.#arrival = arrival;
  }

  /** Tells whether a line may have a value, in any case of ASCII letters. */
  mayHave(value: string): boolean {
    return value.includes('\n') || this.#read().column.mark(new Piece(value, true)) !== undefined;
  }

  values(): (string | 0)[] {
    const arrival = this.#arrival();
    const { mask, column } = this.#read();
    const texts = column.texts?.();
    const values = Array<string | 0>(arrival.length).fill(0);
    let row = 0;
    for (let i = 0; i < arrival.length; i += 1) {
      if (mask.length > 0 && !hasBit(mask, i)) continue;
      values[this.#head.isByArrival ? (arrival[i] as number) : i] =
        texts === undefined ? column.text(row) : (texts[row] ?? 0);
      row += 1;
    }
    if (row !== (texts?.length ?? this.#head.n)) throw new RangeError('a field has another number of values');
    return values;
  }

  /** The value of the line at a place, without making texts of all others; 0 where it has none. */
  at(place: number): string | 0 {
    const { mask, column } = this.#read();
    const i = this.#head.isByArrival ? this.#arrival().indexOf(place) : place;
    if (mask.length === 0) return column.text(i);
    return hasBit(mask, i) ? column.text(bitsBefore(mask, i)) : 0;
  }

  #read(): { readonly mask: Uint8Array; readonly column: Column } {
    this.#open ??= this.#decompress();
    return this.#open;
  }

  #decompress() {
    const { form, n } = this.#head;
    const lines = this.#arrival().length;
    const sizes = sizesOf(form, n);
    const maskBytes = n === lines ? 0 : bitBytes(lines);
    const dataAt = maskBytes + sizes.words;
    const bytes = decompressAll(this.#packed, dataAt + sizes.data);
    const words = bytes.subarray(maskBytes, dataAt);
    return {
      mask: bytes.subarray(0, maskBytes),
      column: readColumn({ form, n, words, data: () => bytes.subarray(dataAt) }, []),
    };
  }
}
