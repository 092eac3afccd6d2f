// A filter of the texts of a segment: tells which texts it cannot contain, so that a search skips it.
//
// It is a bitmap of hashed pieces: three and six neighbouring bytes of each text, with ASCII letters in lower case, one
// bit each. Whole values that are not in the texts (request ids, fields) set three bits each: a search knows only one.
// The bitmap is folded until about a quarter of its bits are set: four bits for each different piece.
import { compress, decompress } from './damage.ts';

/** Most bits of the bitmap before it is folded, as a power of two. */
const SCRATCH_LOG = 24;
/** Bits of the bitmap that is tried first: 512 KiB stay in the cache of a core, 2 MiB do not. */
const FIRST_LOG = 22;
/** Greatest share of the bits that may be set after folding. */
const FILL_MAX = 0.3;
/** Smallest bitmap: 128 bytes. */
const LEAST_LOG = 10;
/** Level of compression of a bitmap. */
const FILTER_LEVEL = 3;
/** Shortest text that the filter knows. */
export const SHORTEST_PIECE = 3;
export const LONG_PIECE = 6;
/** Most pieces of one text that are looked up: more tell nothing new. */
const LOOKED_UP_MAX = 64;

/** ASCII letters in lower case, all other bytes unchanged. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** Spreads 24 bits (three bytes) over 32. */
function hashOfThree(three: number): number {
  const mixed = Math.imul(three ^ 0x9e3779, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

function hashOfSix(first: number, second: number): number {
  let mixed = Math.imul(first, 0xcc9e2d51) ^ Math.imul(second, 0x1b873593);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

const hashBytes = (bytes: Uint8Array, seed: number): number => {
  let hash = seed;
  for (const byte of bytes) hash = Math.imul(hash ^ (FOLDED[byte] ?? 0), 0x01000193);
  return hash;
};

/** Begins the hashes of values under a name. */
const seedOf = (name: string): number => hashBytes(Buffer.from(`${name}\0`), 0x811c9dc5);

/** Hashes of a whole value under a name, given by {@link seedOf}. */
function hashesOfValue(seed: number, value: string): readonly number[] {
  const hash = hashOfValue(seed, value);
  return [hash, secondHash(hash), thirdHash(hash)];
}

const secondHash = (hash: number): number => spread(Math.imul(hash, 0x85ebca6b));
const thirdHash = (hash: number): number => spread(Math.imul(hash, 0xc2b2ae35));

function hashOfValue(seed: number, value: string): number {
  let hash = seed;
  for (let i = 0; i < value.length; i += 1) {
    const unit = value.charCodeAt(i);
    if (unit > 0x7f) return spread(hashBytes(Buffer.from(value), seed));
    hash = Math.imul(hash ^ (FOLDED[unit] as number), 0x01000193);
  }
  return spread(hash);
}

const spread = (hash: number): number => (hash ^ (hash >>> 15)) >>> 0;

// Only one filter is built at a time in a thread: 2 MB that are used again.
const scratch = new Uint32Array(2 ** (SCRATCH_LOG - 5));

/**
 * Encodes the filter of one segment. `bytes` is the size of its texts and values, and so the greatest number of pieces
 * of a length. `fill` adds all of them; it is called again where they need a larger bitmap.
 */
export function encodeFilter(bytes: number, fill: (filter: GramFilterBuilder) => void): Buffer {
  const log = Math.min(SCRATCH_LOG, Math.max(LEAST_LOG, Math.ceil(Math.log2(bytes + 1)) + 3));
  const first = new GramFilterBuilder(Math.min(log, FIRST_LOG));
  fill(first);
  if (log <= FIRST_LOG || first.share <= FILL_MAX) return first.finish();
  const whole = new GramFilterBuilder(log);
  fill(whole);
  return whole.finish();
}

/** Collects the pieces of one segment. Only one builder at a time, until {@link GramFilterBuilder.finish}. */
class GramFilterBuilder {
  readonly #log: number;
  readonly #bits: Uint32Array;
  readonly #mask: number;

  constructor(log: number) {
    this.#log = log;
    this.#bits = scratch.subarray(0, 2 ** (log - 5)).fill(0);
    this.#mask = 2 ** log - 1;
  }

  /** Share of the bits that are set. */
  get share(): number {
    return shareSet(this.#bits, this.#bits.length);
  }

  /** Adds texts, each given by two places in `bytes`: its start and its end. */
  addTexts(bytes: Uint8Array, places: readonly number[]): void {
    const bits = this.#bits;
    const mask = this.#mask;
    let [last, lastEnd] = [0, 0];
    for (let i = 0; i < places.length; i += 2) {
      let from = places[i] as number;
      const to = places[i + 1] as number;
      // Neighbours have one form. The pieces within the beginning that a text shares with the last one are set already.
      let shared = from;
      while (shared < to && last < lastEnd && bytes[shared] === bytes[last]) {
        shared += 1;
        last += 1;
      }
      [last, lastEnd] = [from, to];
      from = Math.max(from, shared - LONG_PIECE + 1);
      let three = 0;
      // The three bytes that ended one, two and three bytes before.
      let [one, two, before] = [0, 0, 0];
      for (let at = from; at < to; at += 1) {
        before = two;
        two = one;
        one = three;
        three = ((three << 8) | (FOLDED[bytes[at] as number] as number)) & 0xffffff;
        const seen = at - from;
        if (seen < 2) continue;
        const short = hashOfThree(three) & mask;
        bits[short >>> 5] = (bits[short >>> 5] as number) | (1 << (short & 31));
        if (seen < 5) continue;
        const long = hashOfSix(before, three) & mask;
        bits[long >>> 5] = (bits[long >>> 5] as number) | (1 << (long & 31));
      }
    }
  }

  /** Adds whole values of a name that are not in the texts. */
  addValues(name: string, values: readonly string[]): void {
    const seed = seedOf(name);
    for (let i = 0; i < values.length; i += 1) {
      const hash = hashOfValue(seed, values[i] as string);
      this.#set(hash);
      this.#set(secondHash(hash));
      this.#set(thirdHash(hash));
    }
  }

  #set(hash: number): void {
    const bit = hash & this.#mask;
    this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] as number) | (1 << (bit & 31));
  }

  /** Returns the filter in its stored form. */
  finish(): Buffer {
    let log = this.#log;
    while (log > LEAST_LOG) {
      const half = 2 ** (log - 6);
      if (shareSet(this.#bits, half, half) > FILL_MAX) break;
      // A bit of either half sets the bit.
      for (let i = 0; i < half; i += 1) this.#bits[i] = (this.#bits[i] as number) | (this.#bits[i + half] as number);
      log -= 1;
    }
    const stored = Buffer.from(this.#bits.buffer, this.#bits.byteOffset, 2 ** (log - 3));
    return Buffer.concat([Buffer.of(log), compress(stored, FILTER_LEVEL)]);
  }
}

/** Share of the bits that are set in some words, each joined with the one `beside` it. */
function shareSet(bits: Uint32Array, words: number, beside = 0): number {
  let set = 0;
  for (let i = 0; i < words; i += 1) {
    let word = (bits[i] as number) | (bits[i + beside] as number);
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    set += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return set / (words * 32);
}

/** A filter that was read. */
export class GramFilter {
  readonly #bits: Uint8Array;
  readonly #mask: number;

  /** @throws where the bytes are not those that were written */
  constructor(stored: Uint8Array) {
    const log = stored[0] ?? 0;
    if (log > SCRATCH_LOG) throw new RangeError('a filter is larger than any');
    this.#bits = decompress(stored.subarray(1), 2 ** (log - 3));
    if (this.#bits.length !== 2 ** (log - 3)) throw new RangeError('a filter has another size');
    this.#mask = 2 ** log - 1;
  }

  /** Tells whether a text of the segment may contain all pieces, see {@link piecesOf}. */
  hasAll(pieces: readonly number[]): boolean {
    return pieces.every((piece) => this.#has(piece));
  }

  /** Tells whether a line may have a value under a name that is not in its text. */
  hasValue(name: string, value: string): boolean {
    return hashesOfValue(seedOf(name), value).every((hash) => this.#has(hash));
  }

  #has(hash: number): boolean {
    const bit = hash & this.#mask;
    return (((this.#bits[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1;
  }
}

/** Returns the pieces of a text that a segment is asked for; none of a text that is too short. */
export function piecesOf(text: string): number[] {
  const bytes = Buffer.from(text).map((byte) => FOLDED[byte] ?? 0);
  const three = (at: number) => ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  const pieces = new Set<number>();
  for (let at = 0; at + LONG_PIECE <= bytes.length; at += 1)
    pieces.add(hashOfSix(three(at), three(at + SHORTEST_PIECE)));
  for (let at = 0; at + SHORTEST_PIECE <= bytes.length; at += 1) pieces.add(hashOfThree(three(at)));
  return [...pieces].slice(0, LOOKED_UP_MAX);
}
