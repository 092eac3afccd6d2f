// Numbers of different values within bounds of memory.
import { writeAddress } from '../segments/column-reader.ts';
import type { LineValues } from './line-reads.ts';

/** Most different values, and bytes of them, that are kept. Further ones count together. */
const VALUES_MAX = 200_000;
const BYTES_MAX = 16_000_000;
/** Most bytes of an address. */
const ADDRESS_MAX = '255.255.255.255'.length;
/** Places of the hash table at first, a power of two. A small table stays in the caches of the processor. */
const PLACES_MIN = 2 ** 12;

/** Follows each value among the kept bytes: no text in UTF-8 has it. */
const END = 0xff;
/** Words of 32 bits in a place: the hash, where the bytes of the value begin (from 1 on, 0 = free), and its number. */
const WORDS_LOG = 2;
const WORDS = 2 ** WORDS_LOG;

type ValueCount = LineValues['values'][number];

/** The order of the answer. */
const isBefore = (a: ValueCount, b: ValueCount) => a.count > b.count || (a.count === b.count && a.value < b.value);

/** Numbers of values. Those of a text are taken as bytes: a string for each line would cost most of the time. */
export class ValueCounts {
  // One table with all that is compared and counted: reading it from the memory takes more time than all the rest.
  #places = new Int32Array(PLACES_MIN * WORDS);
  #counts = new Float64Array(this.#places.buffer);
  #bytes = Buffer.alloc(2 ** 16);
  #end = 1;
  #size = 0;
  #rest = 0;
  /** Values beyond the bounds came: any of them may be more frequent than a value that is kept. */
  #isOver = false;
  readonly #texts = new Map<string, { n: number }>();
  readonly #addresses = new AddressCounts();

  /** Counts a value; `''` is none. */
  add(value: string, count: number): void {
    if (value === '') return;
    const known = this.#texts.get(value);
    if (known !== undefined) known.n += count;
    else if (this.#texts.size < VALUES_MAX) this.#texts.set(value, { n: count });
    else this.#leaveOut(count);
  }

  /** Counts the value between two places of some UTF-8. */
  addBytes(bytes: Uint8Array, from: number, to: number, count: number): void {
    let hash = 0x811c9dc5;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash ^= hash >>> 15;
    const places = this.#places;
    const mask = places.length - 1;
    for (let place = (hash << WORDS_LOG) & mask; ; place = (place + WORDS) & mask) {
      const start = places[place + 1] as number;
      if (start === 0) {
        const end = this.#end + to - from + 1;
        if (this.#size >= VALUES_MAX || end > BYTES_MAX) this.#leaveOut(count);
        else this.#insert(place, hash, bytes.subarray(from, to), count);
        return;
      }
      if (places[place] === hash && this.#isAt(start, bytes, from, to)) {
        this.#counts[(place + 2) >>> 1] = (this.#counts[(place + 2) >>> 1] as number) + count;
        return;
      }
    }
  }

  /** Counts the IPv4 address of a number. */
  addAddress(address: number, count: number): void {
    if (!this.#addresses.add(address, count)) this.#leaveOut(count);
  }

  /** Returns the most frequent values; `complete` is false where there were more values than are kept. */
  top(max: number): LineValues {
    const bytes = Buffer.alloc(ADDRESS_MAX);
    this.#addresses.forEach((address, n) => {
      this.addBytes(bytes, 0, writeAddress(address, bytes, 0), n);
    });
    const least = this.#texts.size === 0 ? this.#leastOf(max) : 0;
    let distinct = 0;
    for (let place = 0; place < this.#places.length; place += WORDS) {
      const start = this.#places[place + 1] as number;
      const count = this.#counts[(place + 2) >>> 1] as number;
      if (start === 0) continue;
      if (count >= least) this.add(this.#bytes.toString('utf8', start, this.#bytes.indexOf(END, start)), count);
      else {
        distinct += 1;
        this.#rest += count;
      }
    }
    // Not sorted all: of 200,000 values that came once, that would take longer than to find them.
    const first: ValueCount[] = [];
    let sum = 0;
    for (const [value, { n: count }] of this.#texts) {
      sum += count;
      const entry = { value, count };
      const last = first.at(-1);
      if (first.length === max && (last === undefined || isBefore(last, entry))) continue;
      first.splice(first.findLastIndex((known) => isBefore(known, entry)) + 1, 0, entry);
      if (first.length > max) first.pop();
    }
    const shown = first.reduce((all, { count }) => all + count, 0);
    return {
      values: first,
      other: this.#rest + sum - shown,
      distinct: distinct + this.#texts.size,
      complete: !this.#isOver,
    };
  }

  /** Counts a value that is not kept. */
  #leaveOut(count: number): void {
    this.#rest += count;
    this.#isOver = true;
  }

  /** The count of the last one of the values in bytes that are among the first `max`. */
  #leastOf(max: number): number {
    const counts = new Float64Array(this.#size);
    let n = 0;
    for (let i = 1; i < this.#counts.length; i += 2) {
      const count = this.#counts[i] as number;
      if (count === 0) continue;
      counts[n] = count;
      n += 1;
    }
    return counts.sort().at(-max) ?? 0;
  }

  /** Reports whether the kept value that begins at `start` is the one in some bytes. */
  #isAt(start: number, bytes: Uint8Array, from: number, to: number): boolean {
    const kept = this.#bytes;
    for (let i = 0; i < to - from; i += 1) if (kept[start + i] !== bytes[from + i]) return false;
    return kept[start + to - from] === END;
  }

  #insert(place: number, hash: number, value: Uint8Array, count: number): void {
    const start = this.#end;
    const end = start + value.length + 1;
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.max(end, this.#bytes.length * 2));
    this.#bytes.set(value, start);
    this.#bytes[end - 1] = END;
    this.#end = end;
    this.#places[place] = hash;
    this.#places[place + 1] = start;
    this.#counts[(place + 2) >>> 1] = count;
    this.#size += 1;
    if (this.#size * 2 * WORDS > this.#places.length) this.#grow();
  }

  #grow(): void {
    const [places, counts] = [this.#places, this.#counts];
    this.#places = new Int32Array(places.length * 2);
    this.#counts = new Float64Array(this.#places.buffer);
    const mask = this.#places.length - 1;
    for (let from = 0; from < places.length; from += WORDS) {
      if (places[from + 1] === 0) continue;
      let to = ((places[from] as number) << WORDS_LOG) & mask;
      while (this.#places[to + 1] !== 0) to = (to + WORDS) & mask;
      this.#places[to] = places[from] as number;
      this.#places[to + 1] = places[from + 1] as number;
      this.#counts[(to + 2) >>> 1] = counts[(from + 2) >>> 1] as number;
    }
  }
}

/** Numbers of IPv4 addresses, which a number finds sooner than a text. */
class AddressCounts {
  #addresses = new Uint32Array(PLACES_MIN);
  /** By place; 0 is free. */
  #counts = new Float64Array(PLACES_MIN);
  #size = 0;

  /** Returns false where there is no room for a further address. */
  add(address: number, count: number): boolean {
    const place = this.#placeOf(address);
    if (this.#counts[place] === 0) {
      if (this.#size >= VALUES_MAX) return false;
      this.#addresses[place] = address;
      this.#size += 1;
    }
    this.#counts[place] = (this.#counts[place] as number) + count;
    if (this.#size * 2 > this.#counts.length) this.#grow();
    return true;
  }

  /** Calls `take` with each address. */
  forEach(take: (address: number, count: number) => void): void {
    for (let place = 0; place < this.#counts.length; place += 1) {
      const count = this.#counts[place] as number;
      if (count > 0) take(this.#addresses[place] as number, count);
    }
  }

  #placeOf(address: number): number {
    const mask = this.#counts.length - 1;
    const hash = Math.imul(address, 0x9e3779b1);
    let place = (hash ^ (hash >>> 15)) & mask;
    while (this.#counts[place] !== 0 && this.#addresses[place] !== address) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const [addresses, counts] = [this.#addresses, this.#counts];
    this.#addresses = new Uint32Array(counts.length * 2);
    this.#counts = new Float64Array(counts.length * 2);
    for (let from = 0; from < counts.length; from += 1) {
      const count = counts[from] as number;
      if (count === 0) continue;
      const to = this.#placeOf(addresses[from] as number);
      this.#addresses[to] = addresses[from] as number;
      this.#counts[to] = count;
    }
  }
}
