// The lines of one write that become lines of segments: equal neighbours are one line with a greater count.
import { copyBytes } from '../segments/sections.ts';
import { HAS_VALUES, type LineColumns, listOf, rareValues, sizeOf, type ValueList, valuesIn } from './line-columns.ts';

/** Greatest count of a stored line, which has 32 bits. */
const COUNT_MAX = 2 ** 32 - 1;

/** Values of one name, of lines given by their numbers. */
export interface NewValues {
  readonly numbers: Uint32Array;
  readonly list: ValueList;
}

/** Lines by their number: they are counted from 0 in the order of arrival. */
export class NewLines {
  length = 0;
  /** Unix seconds. */
  readonly times: Float64Array;
  readonly counts: Uint32Array;
  readonly #batches: readonly LineColumns[];
  readonly #texts: readonly Buffer[];
  /** By number: its batch, the index in it, and the place of its text. */
  readonly #batch: Uint32Array;
  readonly #line: Uint32Array;
  /** By batch and index: number of the line. */
  readonly #numbers: readonly Uint32Array[];

  constructor(batches: readonly LineColumns[]) {
    const size = batches.reduce((sum, batch) => sum + sizeOf(batch), 0);
    this.#batches = batches;
    this.#texts = batches.map(({ texts }) => Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength));
    this.times = new Float64Array(size);
    this.counts = new Uint32Array(size);
    this.#batch = new Uint32Array(size);
    this.#line = new Uint32Array(size);
    this.#numbers = batches.map((batch) => new Uint32Array(sizeOf(batch)));
  }

  /** Adds a line of a batch; returns its number. */
  add(batch: number, line: number): number {
    const number = this.length;
    this.length += 1;
    const { times, counts } = this.#batches[batch] as LineColumns;
    this.#batch[number] = batch;
    this.#line[number] = line;
    this.times[number] = times[line] as number;
    this.counts[number] = counts[line] as number;
    (this.#numbers[batch] as Uint32Array)[line] = number;
    return number;
  }

  /** Adds a line of a batch to one that equals it; returns false where that one differs or has a value. */
  addToEqual(number: number, batch: number, line: number): boolean {
    const { times, counts, marks } = this.#batches[batch] as LineColumns;
    if (this.times[number] !== times[line] || ((marks[line] as number) & HAS_VALUES) !== 0) return false;
    const count = (this.counts[number] as number) + (counts[line] as number);
    const [own, at] = [this.#batch[number] as number, this.#line[number] as number];
    if (count > COUNT_MAX || ((this.#batches[own]?.marks[at] as number) & HAS_VALUES) !== 0) return false;
    const [from, to] = [this.#startOf(own, at), this.#endOf(own, at)];
    const [start, end] = [this.#startOf(batch, line), this.#endOf(batch, line)];
    const isSame =
      to - from === end - start && this.#texts[own]?.compare(this.#texts[batch] as Buffer, start, end, from, to) === 0;
    if (isSame) this.counts[number] = count;
    return isSame;
  }

  text(number: number): string {
    const [batch, line] = [this.#batch[number] as number, this.#line[number] as number];
    return (this.#texts[batch] as Buffer).toString('utf8', this.#startOf(batch, line), this.#endOf(batch, line));
  }

  /** Bytes of a text. */
  textBytes(number: number): number {
    const [batch, line] = [this.#batch[number] as number, this.#line[number] as number];
    return this.#endOf(batch, line) - this.#startOf(batch, line);
  }

  /** Copies a text to a place; returns its bytes. */
  copyText(number: number, to: Uint8Array, at: number): number {
    const [batch, line] = [this.#batch[number] as number, this.#line[number] as number];
    const texts = this.#texts[batch] as Buffer;
    return copyBytes(texts, this.#startOf(batch, line), this.#endOf(batch, line), to, at);
  }

  #startOf(batch: number, line: number): number {
    return line === 0 ? 0 : ((this.#batches[batch] as LineColumns).ends[line - 1] as number);
  }

  #endOf(batch: number, line: number): number {
    return (this.#batches[batch] as LineColumns).ends[line] as number;
  }

  /** Values of the lines from a number on until before another, by name, in the order of arrival. */
  values(from: number, to: number): Map<string, NewValues[]> {
    const all = new Map<string, NewValues[]>();
    const add = (name: string, part: NewValues | undefined) => {
      if (part === undefined) return;
      const parts = all.get(name);
      if (parts === undefined) all.set(name, [part]);
      else parts.push(part);
    };
    for (const [batch, columns] of this.#batches.entries()) {
      const numbers = this.#numbers[batch] as Uint32Array;
      // A line that has values has a number of its own.
      const numbered = (lines: ArrayLike<number>) => {
        if (lines.length === numbers.length) return numbers;
        const list = new Uint32Array(lines.length);
        for (let i = 0; i < list.length; i += 1) list[i] = numbers[lines[i] as number] as number;
        return list;
      };
      for (const { name, lines, list } of columns.values) add(name, within(numbered(lines), list, from, to));
      for (const [name, { lines, values }] of rareValues(columns))
        add(name, within(numbered(lines), listOf(values), from, to));
    }
    return all;
  }
}

/** The part of some values that lines from a number on until before another have; undefined where they have none. */
function within(numbers: Uint32Array, list: ValueList, from: number, to: number): NewValues | undefined {
  if ((numbers[0] as number) >= from && (numbers.at(-1) as number) < to) return { numbers, list };
  const values = valuesIn(list).filter((_, i) => (numbers[i] as number) >= from && (numbers[i] as number) < to);
  if (values.length === 0) return undefined;
  return { numbers: numbers.filter((number) => number >= from && number < to), list: listOf(values) };
}
