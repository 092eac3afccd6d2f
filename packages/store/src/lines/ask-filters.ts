// Filters of segments, of which as little is read as decides: whole filters would take longer than all else in a search
// for a rare text (decision 112).
import type { Dialect, Sql } from '@quarterdeck/core/db';
import { FilterPieces } from '../segments/filter-pieces.ts';
import { LOOKED_UP_MAX } from '../segments/gram-hashes.ts';
import { readPieces } from '../tables/segment-filters.ts';
import type { Limit } from './budget.ts';
import { hasNeeded, type NeededHashes, nextHashes } from './needed-hashes.ts';

/**
 * Hashes of each text in the first round, and the factor by which further rounds ask for more. On PostgreSQL each round
 * is a round trip; four hashes leave 1 of 100 filters without the text. On SQLite each piece may be a place on disk.
 */
const FIRST_HASHES = { sqlite: 1, postgresql: 4 } as const;
const GROWTH = { sqlite: 2, postgresql: 4 } as const;
/** Pieces that one statement reads: a megabyte. */
const READ_AT_ONCE = 2_048;

/** Id of a segment, and the bytes of its filter, which must be in pieces. */
interface FilterHead {
  readonly id: number;
  readonly filter_bytes: number;
}

interface Asking {
  readonly sql: Sql;
  readonly dialect: Dialect;
  readonly budget: Limit;
  readonly needed: NeededHashes;
}

/**
 * Asks the filters of some segments together: each alone would be a round trip of PostgreSQL, and a statement of SQLite
 * that takes longer than the look-up. Returns whether each may have a match, by id. Segments with a damaged filter are
 * missing, and those that are not decided when the budget ends.
 */
export async function askFilters(asking: Asking, heads: readonly FilterHead[]): Promise<Map<number, boolean>> {
  const answers = new Map<number, boolean>();
  const asked = new Map(heads.map(({ id, filter_bytes: size }) => [id, new FilterPieces(size)]));
  const { dialect } = asking;
  for (let n: number = FIRST_HASHES[dialect]; asked.size > 0 && n <= LOOKED_UP_MAX; n *= GROWTH[dialect]) {
    if (!(await readNext(asking, asked, n))) break;
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
async function readNext(
  { sql, dialect, budget, needed }: Asking,
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
    if ((n > FIRST_HASHES[dialect] || from > 0) && budget.isOver) return false;
    const some = pieces.slice(from, from + READ_AT_ONCE);
    const rows = await readPieces(sql, dialect, some);
    for (const { id, index, piece } of rows) if (filters.get(id)?.add(index, piece) === false) filters.delete(id);
  }
  return true;
}
