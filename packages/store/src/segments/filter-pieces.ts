// The stored form of a filter: pieces of a bitmap, each of which can be read alone (decision 112). Earlier filters were
// compressed as a whole, and folded by halves.
import { crc32 } from 'node:zlib';
import { decompress } from './damage.ts';

/** Bits of the bitmap before it is folded, as a power of two. */
export const SCRATCH_LOG = 24;
/** Bits of the bitmap that is tried first: 512 KiB stay in the cache of a core, 2 MiB do not. */
export const FIRST_LOG = 22;
/** Bytes of a piece. PostgreSQL keeps large values in chunks of 1,996 bytes: a piece never needs two of them. */
export const PIECE_BYTES = 499;
/** First byte of each piece. An earlier filter begins with the power of two of its bits. */
const MARK = 0x41;
/** The mark of a filter without addresses. */
const MARK_OF_GRAMS = 0x40;
const MARK_BYTES = 1;
/** The checksum ends a piece. */
const SUM_AT = PIECE_BYTES - 4;
export const BITMAP_BYTES = SUM_AT - MARK_BYTES;
export const PIECE_BITS = BITMAP_BYTES * 8;
/** Most pieces of a filter whose bitmap had 2^{@link FIRST_LOG} bits, and of any. */
export const FIRST_PIECES = Math.floor(2 ** FIRST_LOG / PIECE_BITS);
export const MOST_PIECES = Math.floor(2 ** SCRATCH_LOG / PIECE_BITS);

/** Cuts a bitmap, whose bytes fill some pieces, and adds the checksums. */
export function toPieces(bitmap: Uint8Array): Buffer {
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
