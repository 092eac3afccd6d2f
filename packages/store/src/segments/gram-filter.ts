// A filter of the texts of a segment: tells which texts it cannot contain, so that a search skips it.
//
// It is a bitmap of hashed grams: three and six neighbouring bytes of each text, with ASCII letters in lower case, one
// bit each. Whole values that are not in the texts (request ids, fields) set three bits each: a search knows only one.
// So do IPv4 addresses of texts and values: nearly every filter has the grams of any address.
// The bitmap is folded until three tenths of its bits are set: 2.8 bits for each different gram.
//
// It is stored in pieces of which each can be read alone (decision 112). Earlier filters were compressed as a whole,
// and folded by halves.
import { crc32 } from 'node:zlib';
import { readAddress } from './column-writer.ts';
import { decompress } from './damage.ts';
import { OF_ASCII_TOKEN } from './tokens.ts';

/** Bits of the bitmap before it is folded, as a power of two. */
const SCRATCH_LOG = 24;
/** Bits of the bitmap that is tried first: 512 KiB stay in the cache of a core, 2 MiB do not. */
const FIRST_LOG = 22;
/** Share of the bits that is set after folding. */
const FILL = 0.3;
/** Bytes of a piece. PostgreSQL keeps large values in chunks of 1,996 bytes: a piece never needs two of them. */
export const PIECE_BYTES = 499;
/** First byte of each piece. An earlier filter begins with the power of two of its bits. */
const MARK = 0x41;
/** The mark of a filter without addresses. */
const MARK_OF_GRAMS = 0x40;
const MARK_BYTES = 1;
/** The checksum ends a piece. */
const SUM_AT = PIECE_BYTES - 4;
const BITMAP_BYTES = SUM_AT - MARK_BYTES;
const PIECE_BITS = BITMAP_BYTES * 8;
/** Most pieces of a filter whose bitmap had 2^{@link FIRST_LOG} bits, and of any. */
const FIRST_PIECES = Math.floor(2 ** FIRST_LOG / PIECE_BITS);
const MOST_PIECES = Math.floor(2 ** SCRATCH_LOG / PIECE_BITS);
/** Shortest text that the filter knows. */
const SHORT_GRAM = 3;
export const LONG_GRAM = 6;
/** Bytes of the shortest and of the longest IPv4 address. */
const ADDRESS_MIN = 7;
const ADDRESS_MAX = 15;
/** Tells of each byte whether addresses have it: 1 or 0. */
const OF_ADDRESS = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\d.]/.test(String.fromCharCode(byte))));
/** Most grams of one text that are looked up: more tell nothing new. */
export const LOOKED_UP_MAX = 64;

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
const hashesFrom = (seed: number, value: string): readonly number[] => threeHashes(hashOfValue(seed, value));

const threeHashes = (hash: number): readonly number[] => [hash, secondHash(hash), thirdHash(hash)];

/** Hash of an IPv4 address as a number. Different addresses have different ones. */
function hashOfAddress(address: number): number {
  let mixed = Math.imul(address ^ (address >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
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

/** An IPv4 address as a number; undefined for another value. */
function addressOf(value: string): number | undefined {
  if (value.length < ADDRESS_MIN || value.length > ADDRESS_MAX) return undefined;
  // Most values are not copied.
  if (value[1] !== '.' && value[2] !== '.' && value[3] !== '.') return undefined;
  const address = readAddress(Buffer.from(value), 0, value.length);
  return address < 0 ? undefined : address;
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

function toPieces(bitmap: Uint8Array): Buffer {
  const count = bitmap.length / BITMAP_BYTES;
  const stored = Buffer.allocUnsafe(count * PIECE_BYTES);
  for (let index = 0; index < count; index += 1) {
    const piece = stored.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES);
    piece[0] = MARK;
    piece.set(bitmap.subarray(index * BITMAP_BYTES, (index + 1) * BITMAP_BYTES), MARK_BYTES);
    piece.writeUInt32LE(sumOf(piece, index, count), SUM_AT);
  }
  return stored;
}

/** Checksum of a piece, which differs at another place and in a filter of another size. */
const sumOf = (piece: Uint8Array, index: number, count: number): number =>
  crc32(piece.subarray(0, SUM_AT), index * 2 ** 16 + count);

/** Tells whether a filter of so many bytes is in pieces. Very few earlier ones seem to be, and none of their pieces. */
export const isInPieces = (size: number): boolean =>
  size > 0 && size % PIECE_BYTES === 0 && size <= MOST_PIECES * PIECE_BYTES;

/** A filter of which some hashes may be known. */
export interface KnownFilter {
  /** Tells whether the filter has addresses; undefined where its form is not known. */
  readonly hasAddresses: boolean | undefined;
  /** Tells whether a hash is in the filter; undefined where that is not known. */
  has(hash: number): boolean | undefined;
}

/** A filter of which some pieces are read. */
export class FilterPieces implements KnownFilter {
  readonly #count: number;
  readonly #log: number;
  #mark: number | undefined;
  readonly #pieces = new Map<number, Uint8Array>();

  /** `size` is the number of its bytes, see {@link isInPieces}. */
  constructor(size: number) {
    this.#count = size / PIECE_BYTES;
    this.#log = this.#count <= FIRST_PIECES ? FIRST_LOG : SCRATCH_LOG;
  }

  get #bits(): number {
    return this.#count * PIECE_BITS;
  }

  #bitOf(hash: number): number {
    return Math.floor(((hash >>> (32 - this.#log)) * this.#bits) / 2 ** this.#log);
  }

  /** Index of the piece that has the bit of a hash. */
  indexOf(hash: number): number {
    return Math.floor(this.#bitOf(hash) / PIECE_BITS);
  }

  /** Takes a piece. Returns false where its bytes are not those that were written. */
  add(index: number, piece: Uint8Array): boolean {
    const [mark] = piece;
    if (piece.length !== PIECE_BYTES || !isMark(mark) || mark !== (this.#mark ?? mark)) return false;
    const { buffer, byteOffset } = piece;
    if (new DataView(buffer, byteOffset).getUint32(SUM_AT, true) !== sumOf(piece, index, this.#count)) return false;
    this.#pieces.set(index, piece);
    this.#mark = mark;
    return true;
  }

  /** Undefined where no piece was read. */
  get hasAddresses(): boolean | undefined {
    return this.#mark === undefined ? undefined : this.#mark === MARK;
  }

  /** Undefined where the piece of the hash was not read. */
  has(hash: number): boolean | undefined {
    const bit = this.#bitOf(hash);
    const index = Math.floor(bit / PIECE_BITS);
    const piece = this.#pieces.get(index);
    if (piece === undefined) return undefined;
    const at = bit - index * PIECE_BITS;
    return (((piece[MARK_BYTES + (at >>> 3)] as number) >>> (at & 7)) & 1) === 1;
  }
}

const isMark = (byte: number | undefined): boolean => byte === MARK || byte === MARK_OF_GRAMS;

/** A filter of which all is known. */
export interface OpenFilter extends KnownFilter {
  readonly hasAddresses: boolean;
  has(hash: number): boolean;
}

/**
 * Opens a stored filter, of which a look-up reads one piece.
 *
 * @throws where bytes are not those that were written, as look-ups do
 */
export function openFilter(stored: Uint8Array): OpenFilter {
  if (!isMark(stored[0])) return openEarlier(stored);
  if (!isInPieces(stored.length)) throw new RangeError('a filter has another size');
  const pieces = new FilterPieces(stored.length);
  // The mark of the form counts only with the checksum of its piece.
  addFrom(stored, pieces, 0);
  return {
    hasAddresses: pieces.hasAddresses === true,
    has: (hash) => {
      const known = pieces.has(hash);
      if (known !== undefined) return known;
      addFrom(stored, pieces, pieces.indexOf(hash));
      return pieces.has(hash) === true;
    },
  };
}

function addFrom(stored: Uint8Array, pieces: FilterPieces, index: number): void {
  if (!pieces.add(index, stored.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES)))
    throw new RangeError('the checksum of a filter differs');
}

/** Reads all of a filter. @throws where bytes are not those that were written */
export function checkFilter(stored: Uint8Array): void {
  openFilter(stored);
  if (!isMark(stored[0])) return;
  const pieces = new FilterPieces(stored.length);
  for (let index = 0; index < stored.length / PIECE_BYTES; index += 1) addFrom(stored, pieces, index);
}

/** Opens a filter of before decision 112: the power of two of its bits, then all of them, compressed. */
function openEarlier(stored: Uint8Array): OpenFilter {
  const log = stored[0] ?? 0;
  if (log > SCRATCH_LOG) throw new RangeError('a filter is larger than any');
  const bits = decompress(stored.subarray(1), 2 ** (log - 3));
  if (bits.length !== 2 ** (log - 3)) throw new RangeError('a filter has another size');
  return {
    hasAddresses: false,
    has: (hash) => {
      const bit = hash & (2 ** log - 1);
      return (((bits[bit >>> 3] as number) >>> (bit & 7)) & 1) === 1;
    },
  };
}

/** Hashes that a filter has where a line has a value under a name that is not in its text. */
export const hashesOfValue = (name: string, value: string): readonly number[] => hashesFrom(seedOf(name), value);

/**
 * Returns the hashes that a filter with addresses has where an IPv4 address is an ASCII token of a text, or a value.
 * Undefined where the given value is no such address.
 */
export function hashesOfAddress(value: string): readonly number[] | undefined {
  const address = addressOf(value);
  return address === undefined ? undefined : threeHashes(hashOfAddress(address));
}

/**
 * Returns the hashes that a filter has where a text is in the segment; none of a text that is too short. The grams of
 * six bytes come first, and the first few are from all over the text: any part of it may be the rare one.
 */
export function hashesOfText(text: string): number[] {
  const bytes = Buffer.from(text).map((byte) => FOLDED[byte] ?? 0);
  const three = (at: number) => ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  const long = spreadPlaces(bytes.length - LONG_GRAM + 1).map((at) => hashOfSix(three(at), three(at + SHORT_GRAM)));
  const short = spreadPlaces(bytes.length - SHORT_GRAM + 1).map((at) => hashOfThree(three(at)));
  return [...new Set([...long, ...short])].slice(0, LOOKED_UP_MAX);
}

/** The numbers below `n`, in an order of which each beginning is spread evenly. */
function spreadPlaces(n: number): number[] {
  const share = (place: number) => (place * GOLDEN) % 1;
  return Array.from({ length: Math.max(0, n) }, (_, place) => place).sort((a, b) => share(a) - share(b));
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
