// Rows of SQLite with the filter of a segment: to read a part of a value, SQLite reads all pages of it (decision 115).

/** Bytes of a piece of a filter, which are read together. */
export const FILTER_PIECE_BYTES = 499;
/** Pieces of a row: as many as fit on a page. */
export const FILTER_ROW_PIECES = 8;
/** Keys of rows for each id of a segment; more than a filter has rows. */
export const FILTER_ROW_KEYS = 1024;
/** SQL of a key, of the id of the segment and the number of the row. */
export const FILTER_ROW_KEY = `CAST(? AS INTEGER) * ${FILTER_ROW_KEYS} + CAST(? AS INTEGER)`;
/** SQL that stores a row: its key, the segment, the pieces. The segment is named: a damaged key is noticed. */
export const INSERT_FILTER_ROW = `INSERT INTO errlog_segment_filter ("row", segment, pieces) VALUES (${FILTER_ROW_KEY}, ?, ?)`;

const ROW_BYTES = FILTER_ROW_PIECES * FILTER_PIECE_BYTES;

/** A filter in rows. */
interface FilterRows {
  /** Value of the segment: the number of pieces in decimal digits. */
  readonly count: Buffer;
  readonly rows: readonly Uint8Array[];
}

/** Cuts a filter into rows; undefined where it stays in the row of its segment, as small ones and earlier ones do. */
export function toFilterRows(filter: Uint8Array): FilterRows | undefined {
  if (filter.length <= ROW_BYTES || filter.length % FILTER_PIECE_BYTES !== 0) return undefined;
  const rows: Uint8Array[] = [];
  for (let at = 0; at < filter.length; at += ROW_BYTES) rows.push(filter.subarray(at, at + ROW_BYTES));
  return { count: Buffer.from(String(filter.length / FILTER_PIECE_BYTES)), rows };
}
