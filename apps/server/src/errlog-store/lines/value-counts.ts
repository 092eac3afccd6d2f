// Numbers of different values within bounds of memory.
import type { LineValues } from './line-reads.ts';

/** Most different values, and bytes of them, that are kept. Further ones count together. */
const VALUES_MAX = 200_000;
const BYTES_MAX = 16_000_000;
/** Places of the hash table at first, a power of two. A small table stays in the caches of the processor. */
const PLACES_MIN = 2 ** 12;

/** Numbers of values. Those of a text are taken as bytes: a string for each line would cost most of the time. */
export class ValueCounts {
  #table = new Uint32Array(PLACES_MIN);
  /** By number of the value, from 1 on: its hash, where its bytes end, and how often it came. */
  readonly #hashes = new Int32Array(VALUES_MAX + 1);
  readonly #ends = new Uint32Array(VALUES_MAX + 1);
  readonly #counts = new Float64Array(VALUES_MAX + 1);
  #bytes = Buffer.alloc(2 ** 16);
  #size = 0;
  #rest = 0;
  readonly #texts = new Map<string, { n: number }>();

  /** Counts a value; `''` is none. */
  add(value: string, count: number): void {
    if (value === '') return;
    const known = this.#texts.get(value);
    if (known !== undefined) known.n += count;
    else if (this.#texts.size < VALUES_MAX) this.#texts.set(value, { n: count });
    else this.#rest += count;
  }

  /** Counts the value between two places of some bytes. */
  addBytes(bytes: Uint8Array, from: number, to: number, count: number): void {
    let hash = 0x811c9dc5;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#table.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const known = this.#table[place] as number;
      if (known === 0) {
        this.#insert(hash, bytes.subarray(from, to), count);
        return;
      }
      if (this.#isSame(known, bytes, from, to)) {
        this.#counts[known] = (this.#counts[known] as number) + count;
        return;
      }
    }
  }

  top(max: number): Omit<LineValues, 'complete'> {
    for (let number = 1; number <= this.#size; number += 1) {
      const value = this.#bytes.toString('utf8', this.#ends[number - 1], this.#ends[number]);
      this.add(value, this.#counts[number] as number);
    }
    const sorted = [...this.#texts].sort(([a, m], [b, n]) => n.n - m.n || (a < b ? -1 : 1));
    const values = sorted.slice(0, max).map(([value, { n }]) => ({ value, count: n }));
    const other = sorted.slice(max).reduce((sum, [, { n }]) => sum + n, this.#rest);
    return { values, other, distinct: sorted.length };
  }

  #isSame(known: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#ends[known - 1] as number;
    if ((this.#ends[known] as number) - start !== to - from) return false;
    for (let i = 0; i < to - from; i += 1) if (this.#bytes[start + i] !== bytes[from + i]) return false;
    return true;
  }

  #insert(hash: number, value: Uint8Array, count: number): void {
    const start = this.#ends[this.#size] as number;
    const end = start + value.length;
    if (this.#size >= VALUES_MAX || end > BYTES_MAX) {
      this.#rest += count;
      return;
    }
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.max(end, this.#bytes.length * 2));
    this.#bytes.set(value, start);
    this.#size += 1;
    this.#ends[this.#size] = end;
    this.#counts[this.#size] = count;
    this.#hashes[this.#size] = hash;
    if (this.#size * 2 <= this.#table.length) this.#place(this.#size);
    else {
      this.#table = new Uint32Array(this.#table.length * 4);
      for (let number = 1; number <= this.#size; number += 1) this.#place(number);
    }
  }

  /** Puts the number of a value at the first free place from its hash on. */
  #place(number: number): void {
    const mask = this.#table.length - 1;
    let place = (this.#hashes[number] as number) & mask;
    while (this.#table[place] !== 0) place = (place + 1) & mask;
    this.#table[place] = number;
  }
}
