// Filters of segments, of which as little is read as decides: whole filters would take longer than all else in a search
// for a rare text (decision 112).
import type { Sql } from '@quarterdeck/core/db';
import { numberArray, onPostgres } from '@quarterdeck/core/sql';
import { FilterPieces, PIECE_BYTES } from '../segments/filter-pieces.ts';
import { LOOKED_UP_MAX } from '../segments/gram-hashes.ts';
import { readPiece } from '../tables/segment-filters.ts';
import type { Limit } from './budget.ts';
import { hasNeeded, type NeededHashes, nextHashes } from './needed-hashes.ts';

const PIECES = onPostgres(
  `SELECT a.id, a.index, substring(s.filter FROM a.index * ${PIECE_BYTES} + 1 FOR ${PIECE_BYTES}) AS piece
   FROM unnest($1::int8[], $2::int4[]) AS a (id, index) JOIN errlog_segment s ON s.id = a.id`,
);

/** Rounds of one hash of each text in which pieces are read one by one, and most pieces of a round. */
const SINGLE_ROUNDS = 6;
const SINGLE_PIECES = 4;

/** Hashes of each text in the first round: 1 of 100 filters without the text has them all. */
const FIRST_HASHES = 4;
/** Factor by which the next round asks for more hashes: the third one asks for all. */
const GROWTH = 4;
/** Pieces that one statement reads: a megabyte. */
const READ_AT_ONCE = 2_048;

/** Id of a segment, and the bytes of its filter, which must be in pieces. */
interface FilterHead {
  readonly id: number;
  readonly filter_bytes: number;
}

interface Asking {
  readonly sql: Sql;
  readonly budget: Limit;
  readonly needed: NeededHashes;
}

/**
 * Asks a filter with rows of its own, on SQLite, which has no round trips. A piece is one of some forty pages, and each
 * excludes 7 of 10 segments without a match. Returns undefined where the whole filter must decide.
 */
export async function askFilter(
  { sql, needed }: Omit<Asking, 'budget'>,
  { id, filter_bytes: size }: FilterHead,
): Promise<boolean | undefined> {
  const filter = new FilterPieces(size);
  for (let round = 0; round < SINGLE_ROUNDS; round += 1) {
    const indexes = new Set(nextHashes(needed, filter, 1).map((hash) => filter.indexOf(hash)));
    if (indexes.size > SINGLE_PIECES) return undefined;
    for (const index of indexes) {
      const piece = await readPiece(sql, id, index);
      if (piece === undefined || !filter.add(index, piece)) return undefined;
    }
    const answer = hasNeeded(needed, filter);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/**
 * Asks the filters of some segments together: on PostgreSQL each segment would be a round trip. Returns whether each
 * may have a match, by id. Segments whose filter is damaged are missing, and those that are not decided when the budget
 * ends.
 */
export async function askFilters(asking: Asking, heads: readonly FilterHead[]): Promise<Map<number, boolean>> {
  const answers = new Map<number, boolean>();
  const asked = new Map(heads.map(({ id, filter_bytes: size }) => [id, new FilterPieces(size)]));
  for (let n = FIRST_HASHES; asked.size > 0 && n <= LOOKED_UP_MAX; n *= GROWTH) {
    if (!(await readPieces(asking, asked, n))) break;
    for (const [id, filter] of asked) {
      const answer = hasNeeded(asking.needed, filter);
      if (answer === undefined) continue;
      answers.set(id, answer);
      asked.delete(id);
    }
  }
  return answers;
}

/**
 * Reads the pieces of the next hashes, `n` of each text. Filters with a damaged piece are removed. Returns false where
 * the budget ended before.
 */
async function readPieces(
  { sql, budget, needed }: Asking,
  filters: Map<number, FilterPieces>,
  n: number,
): Promise<boolean> {
  const pieces: [id: number, index: number][] = [];
  for (const [id, filter] of filters) {
    const hashes = nextHashes(needed, filter, n);
    for (const index of new Set(hashes.map((hash) => filter.indexOf(hash)))) pieces.push([id, index]);
  }
  for (let from = 0; from < pieces.length; from += READ_AT_ONCE) {
    // The first statement comes in any case: a search that is continued must come further.
    if ((n > FIRST_HASHES || from > 0) && budget.isOver) return false;
    const some = pieces.slice(from, from + READ_AT_ONCE);
    const [ids, indexes] = [numberArray(some.map(([id]) => id)), numberArray(some.map(([, index]) => index))];
    const rows = await sql.all<{ id: number; index: number; piece: Uint8Array }>(PIECES, ids, indexes);
    for (const { id, index, piece } of rows) if (filters.get(id)?.add(index, piece) === false) filters.delete(id);
  }
  return true;
}
