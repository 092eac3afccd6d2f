// Sizes of the files beside the database. They count towards a bound on its size, so a small bound makes them smaller.

const MEGABYTE = 1024 * 1024;
/** Bytes of one page in the write-ahead log. */
const LOGGED_PAGE = 4096 + 24;
/** Size to which a longer write-ahead log is cut. */
const WAL_BYTES = 128 * MEGABYTE;
/** A page that is written often is copied to the file once per checkpoint: every 112 MB instead of 4. */
const WAL_PAGES = 28_000;
/** Twice the smallest useful write-ahead log and as much growth of the file. */
const RESERVE_BYTES = 16 * MEGABYTE;
/** Share of a bound for each of the two. */
const SHARE = 1 / 10;
/** Longest write-ahead log under a bound: copying it to the file at once holds the writer for some 50 ms. */
const BOUNDED_WAL_BYTES = 32 * MEGABYTE;

/** Sizes of the files beside the database in bytes. */
export interface DiskLimits {
  /** There is a bound on all files together. */
  readonly isBounded: boolean;
  readonly reserveBytes: number;
  readonly walBytes: number;
  /** Size in pages at which the write-ahead log is copied to the file. */
  readonly walPages: number;
}

/** Returns the sizes under a bound on all files together; without one where it is undefined. */
export function diskLimits(maxBytes = Number.POSITIVE_INFINITY): DiskLimits {
  const reserveMb = Math.max(1, Math.floor(Math.min(RESERVE_BYTES, maxBytes * SHARE) / MEGABYTE));
  const isBounded = Number.isFinite(maxBytes);
  const walBytes = isBounded ? Math.floor(Math.min(BOUNDED_WAL_BYTES, maxBytes * SHARE)) : WAL_BYTES;
  return {
    isBounded,
    reserveBytes: reserveMb * MEGABYTE,
    walBytes,
    walPages: Math.min(WAL_PAGES, Math.floor(walBytes / LOGGED_PAGE)),
  };
}
