// Damaged parts of segments: their bytes are not those that were written (decision 076).
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Parts of a segment that fail alone. `fields` is the part of the numbers with request ids and fields. */
export type SegmentPart = 'groups' | 'filter' | 'numbers' | 'fields' | 'texts';

/** A part of a segment that cannot be read. */
export class DamagedPart extends Error {
  override readonly name = 'DamagedPart';
  /** Id of the segment. */
  readonly segment: number;
  readonly part: SegmentPart;

  constructor(segment: number, part: SegmentPart, cause: unknown) {
    super(`The ${part} of segment ${segment} are damaged.`, { cause });
    this.segment = segment;
    this.part = part;
  }
}

/** Takes a damaged part, whose values then count as missing. Throws it where nothing may be missing. */
export type TakeDamage = (damaged: DamagedPart) => void;

/** Lets a read fail that needs everything. */
export const refuseDamage: TakeDamage = (damaged) => {
  throw damaged;
};

/** Reads a part; `missing` stands for a damaged one that `takeDamage` took. */
export function readPartOr<T>(
  segment: number,
  part: SegmentPart,
  takeDamage: TakeDamage,
  read: () => T,
  missing: T,
): T {
  try {
    return read();
  } catch (error) {
    takeDamage(error instanceof DamagedPart ? error : new DamagedPart(segment, part, error));
    return missing;
  }
}

/** Reads a part. @throws {@link DamagedPart} where reading fails */
export const readPart = <T>(segment: number, part: SegmentPart, read: () => T): T =>
  readPartOr<T>(segment, part, refuseDamage, read, undefined as never);

/** Compresses bytes with zstd. The result has a checksum of the bytes, which {@link decompress} compares. */
export const compress = (bytes: Uint8Array, level: number): Uint8Array =>
  zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
  });

/**
 * Decompresses bytes. `size` is their number as far as it is known: with room for all at once nothing is copied.
 *
 * @throws where the checksum differs. Bytes of version 0.1 have none.
 */
export const decompress = (packed: Uint8Array, size = 0): Buffer =>
  zstdDecompressSync(packed, { chunkSize: Math.max(constants.Z_MIN_CHUNK, size + 1) });

/**
 * Decompresses bytes whose number is known. No more than these are made of bytes that pretend to be fewer.
 *
 * @throws where their number or the checksum differs
 */
export function decompressAll(packed: Uint8Array, size: number): Buffer {
  const chunkSize = Math.max(constants.Z_MIN_CHUNK, size + 1);
  const bytes = zstdDecompressSync(packed, { chunkSize, maxOutputLength: chunkSize });
  if (bytes.length !== size) throw new RangeError('the bytes are not as many as they were');
  return bytes;
}
