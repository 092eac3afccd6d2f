// Filters of segments. On SQLite large ones are in rows of their own (decision 115). PostgreSQL reads parts of a value.
import {
  type Dialect,
  FILTER_PIECE_BYTES,
  FILTER_ROW_KEYS,
  FILTER_ROW_PIECES,
  INSERT_FILTER_ROW,
  FILTER_ROW_KEY as KEY,
  type Sql,
  type SqlTx,
  statement,
  toFilterRows,
} from '@quarterdeck/core/db';
import { numberArray, onSqlite } from '@quarterdeck/core/sql';

/** Digits of the number of pieces, which the row of a segment has instead of its filter. */
const DIGITS_MAX = 4;

const IS_APART = `octet_length(filter) BETWEEN 1 AND ${DIGITS_MAX}`;
/** SQL of the bytes of a filter, and whether a part of it is read without the rest, 0 or 1. */
export const filterColumns = (dialect: Dialect): string =>
  dialect === 'sqlite'
    ? `CASE WHEN ${IS_APART} THEN CAST(CAST(filter AS TEXT) AS INTEGER) * ${FILTER_PIECE_BYTES}
         ELSE octet_length(filter) END AS filter_bytes, ${IS_APART} AS has_parts`
    : 'octet_length(filter) AS filter_bytes, 1 AS has_parts';

// A damaged row may have no bytes.
const PIECES = "coalesce(CAST(pieces AS BLOB), x'')";
const INSERT = onSqlite(INSERT_FILTER_ROW);
const PIECE = statement({
  sqlite: `SELECT a.id, a."index", substr(${PIECES}, a."index" % ${FILTER_ROW_PIECES} * ${FILTER_PIECE_BYTES} + 1,
      ${FILTER_PIECE_BYTES}) AS piece
    FROM (SELECT value ->> 0 AS id, value ->> 1 AS "index" FROM json_each(?)) AS a JOIN errlog_segment_filter f
      ON f."row" = a.id * ${FILTER_ROW_KEYS} + a."index" / ${FILTER_ROW_PIECES} AND f.segment = a.id`,
  postgresql: `SELECT a.id, a.index, substring(s.filter FROM a.index * ${FILTER_PIECE_BYTES} + 1 FOR ${FILTER_PIECE_BYTES}) AS piece
    FROM unnest($1::int8[], $2::int4[]) AS a (id, index) JOIN errlog_segment s ON s.id = a.id`,
});
const ROWS = onSqlite(
  `SELECT ${PIECES} AS pieces FROM errlog_segment_filter
   WHERE "row" BETWEEN ${KEY} AND ${KEY} AND segment = ? ORDER BY "row"`,
);
const FILTER = statement('SELECT filter FROM errlog_segment WHERE id = ?');

const REMOVE = onSqlite(`DELETE FROM errlog_segment_filter WHERE "row" BETWEEN ${KEY} AND ${KEY}`);

/** Stores the filter of a segment. Returns what its row has. */
export async function storeFilter(
  { sql }: SqlTx,
  dialect: Dialect,
  id: number,
  filter: Uint8Array,
): Promise<Uint8Array> {
  const apart = dialect === 'sqlite' ? toFilterRows(filter) : undefined;
  if (apart === undefined) return filter;
  for (const [i, pieces] of apart.rows.entries()) await sql.run(INSERT, id, i, id, pieces);
  return apart.count;
}

/** Removes the rows of the filters of all segments from one to another. */
export async function removeFilters({ sql }: SqlTx, dialect: Dialect, from: number, to = from): Promise<void> {
  if (dialect === 'sqlite') await sql.run(REMOVE, from, 0, to, FILTER_ROW_KEYS - 1);
}

/** Reads a filter. `stored` is what the row of the segment has. */
export async function wholeFilter(sql: Sql, id: number, stored: Uint8Array): Promise<Uint8Array> {
  if (stored.length === 0 || stored.length > DIGITS_MAX) return stored;
  const rows = await sql.all<{ pieces: Uint8Array }>(ROWS, id, 0, id, FILTER_ROW_KEYS - 1, id);
  const filter = Buffer.concat(rows.map(({ pieces }) => pieces));
  // One with a missing row is noticed by its size, and stays as it was stored.
  return Buffer.from(stored).toString() === String(filter.length / FILTER_PIECE_BYTES) ? filter : stored;
}

/** Reads the filter of a segment; undefined where the segment is gone. */
export async function readFilter(sql: Sql, id: number): Promise<Uint8Array | undefined> {
  const row = await sql.get<{ filter: Uint8Array }>(FILTER, id);
  return row && wholeFilter(sql, id, row.filter);
}

/** A piece, by the segment of its filter and its index. */
interface StoredPiece {
  readonly id: number;
  readonly index: number;
  readonly piece: Uint8Array;
}

/** Reads pieces of filters that can be asked in parts. Missing ones are left out. */
export function readPieces(
  sql: Sql,
  dialect: Dialect,
  places: readonly (readonly [id: number, index: number])[],
): Promise<StoredPiece[]> {
  if (dialect === 'sqlite') return sql.all<StoredPiece>(PIECE, JSON.stringify(places));
  const [ids, indexes] = [places.map(([id]) => id), places.map(([, index]) => index)];
  return sql.all<StoredPiece>(PIECE, numberArray(ids), numberArray(indexes));
}
