// A filter of the texts of a segment: tells which texts it cannot contain, so that a search skips it.
//
// It is a bitmap of hashed grams: three and six neighbouring bytes of each text, with ASCII letters in lower case, one
// bit each. Whole values that are not in the texts (request ids, fields) set three bits each: a search knows only one.
// So do IPv4 addresses of texts and values: nearly every filter has the grams of any address.
// The bitmap is folded until three tenths of its bits are set: 2.8 bits for each different gram.
import { readAddress } from './column-writer.ts';
import {
  BITMAP_BYTES,
  FIRST_LOG,
  FIRST_PIECES,
  MOST_PIECES,
  PIECE_BITS,
  SCRATCH_LOG,
  toPieces,
} from './filter-pieces.ts';
import {
  ADDRESS_MIN,
  addressOf,
  FOLDED,
  hashOfAddress,
  hashOfSix,
  hashOfThree,
  hashOfValue,
  LONG_GRAM,
  secondHash,
  seedOf,
  thirdHash,
} from './gram-hashes.ts';
import { OF_ASCII_TOKEN } from './tokens.ts';

/** Share of the bits that is set after folding. */
const FILL = 0.3;
/** Tells of each byte whether addresses have it: 1 or 0. */
const OF_ADDRESS = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\d.]/.test(String.fromCharCode(byte))));

// Only one filter is built at a time in a thread: 2 MB that are used again.
const scratch = new Uint32Array(2 ** (SCRATCH_LOG - 5));

/**
 * Encodes the filter of one segment. `fill` adds all its texts and values; it is called again where they need a larger
 * bitmap.
 */
export function encodeFilter(fill: (filter: GramFilterBuilder) => void): Buffer {
  const first = new GramFilterBuilder(FIRST_LOG);
  fill(first);
  if (first.share <= FILL) return first.finish();
  const whole = new GramFilterBuilder(SCRATCH_LOG);
  fill(whole);
  return whole.finish();
}

/** Collects the grams of one segment. Only one builder at a time, until {@link GramFilterBuilder.finish}. */
class GramFilterBuilder {
  readonly #log: number;
  readonly #bits: Uint32Array;
  /** Bits by which a hash is longer than the number of a bit. */
  readonly #shift: number;

  constructor(log: number) {
    this.#log = log;
    this.#bits = scratch.subarray(0, 2 ** (log - 5)).fill(0);
    this.#shift = 32 - log;
  }

  /** Share of the bits that are set. */
  get share(): number {
    return countSet(this.#bits) / 2 ** this.#log;
  }

  /**
   * Adds texts, each given by two places in `bytes`: its start and its end. A text may begin or end within a token, if
   * fewer bytes than an address has are left of it.
   */
  addTexts(bytes: Uint8Array, places: readonly number[]): void {
    const bits = this.#bits;
    const shift = this.#shift;
    let [last, lastEnd] = [0, 0];
    for (let i = 0; i < places.length; i += 2) {
      let from = places[i] as number;
      const to = places[i + 1] as number;
      // Neighbours have one form. The grams within the beginning that a text shares with the last one are set already.
      let shared = from;
      while (shared < to && last < lastEnd && bytes[shared] === bytes[last]) {
        shared += 1;
        last += 1;
      }
      [last, lastEnd] = [from, to];
      this.#addAddresses(bytes, from, to);
      from = Math.max(from, shared - LONG_GRAM + 1);
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
        const short = hashOfThree(three) >>> shift;
        bits[short >>> 5] = (bits[short >>> 5] as number) | (1 << (short & 31));
        if (seen < 5) continue;
        const long = hashOfSix(before, three) >>> shift;
        bits[long >>> 5] = (bits[long >>> 5] as number) | (1 << (long & 31));
      }
    }
  }

  /** Adds the IPv4 addresses that are whole ASCII tokens of a text. */
  #addAddresses(bytes: Uint8Array, from: number, to: number): void {
    // One of so many bytes is in every address, and most are in none.
    for (let at = from + ADDRESS_MIN - 1; at < to; at += ADDRESS_MIN) {
      if (OF_ADDRESS[bytes[at] as number] === 0) continue;
      let first = at;
      while (first > from && OF_ADDRESS[bytes[first - 1] as number] === 1) first -= 1;
      at += 1;
      while (at < to && OF_ADDRESS[bytes[at] as number] === 1) at += 1;
      if (at - first < ADDRESS_MIN) continue;
      if (first > from && OF_ASCII_TOKEN[bytes[first - 1] as number] === 1) continue;
      if (at < to && OF_ASCII_TOKEN[bytes[at] as number] === 1) continue;
      const address = readAddress(bytes, first, at);
      if (address >= 0) this.#addHash(hashOfAddress(address));
    }
  }

  /** Adds whole values of a name that are not in the texts, and those that are addresses as such, too. */
  addValues(name: string, values: readonly string[]): void {
    const seed = seedOf(name);
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] as string;
      this.#addHash(hashOfValue(seed, value));
      const address = addressOf(value);
      if (address !== undefined) this.#addHash(hashOfAddress(address));
    }
  }

  #addHash(hash: number): void {
    this.#set(hash);
    this.#set(secondHash(hash));
    this.#set(thirdHash(hash));
  }

  #set(hash: number): void {
    const bit = hash >>> this.#shift;
    this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] as number) | (1 << (bit & 31));
  }

  /** Returns the filter in its stored form. */
  finish(): Buffer {
    const size = 2 ** this.#log;
    // Grams share bits: as many different ones are likely to have set these.
    const grams = -size * Math.log1p(-this.share);
    const wanted = Math.ceil(grams / -Math.log1p(-FILL) / PIECE_BITS);
    const [least, most] = this.#log === FIRST_LOG ? [1, FIRST_PIECES] : [FIRST_PIECES + 1, MOST_PIECES];
    const pieces = Math.min(most, Math.max(least, wanted));
    return toPieces(this.#fold((pieces * PIECE_BITS) / size, pieces * BITMAP_BYTES));
  }

  /** The bitmap in fewer bytes: neighbouring bits become one. */
  #fold(scale: number, bytes: number): Uint8Array {
    const bits = this.#bits;
    const folded = new Uint8Array(bytes);
    for (let i = 0; i < bits.length; i += 1) {
      for (let word = bits[i] as number; word !== 0; word &= word - 1) {
        const bit = Math.floor((i * 32 + 31 - Math.clz32(word & -word)) * scale);
        folded[bit >>> 3] = (folded[bit >>> 3] as number) | (1 << (bit & 7));
      }
    }
    return folded;
  }
}

/** Number of the bits that are set. */
function countSet(bits: Uint32Array): number {
  let set = 0;
  for (let i = 0; i < bits.length; i += 1) {
    let word = bits[i] as number;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    set += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return set;
}
