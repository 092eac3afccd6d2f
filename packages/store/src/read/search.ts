// Text search in the newest texts. Candidates from the index are verified; if there are too many, the list is read
// until enough groups match. The condition on the text itself always decides. Groups whose latest text the index does
// not know are verified as well, so no match is missed.
import { type Database, statement } from '@quarterdeck/core/db';
import { likePattern, likeText, Where } from '@quarterdeck/core/sql';
import type { ListQuery } from '../tables/columns.ts';
import type { GroupFilter } from '../tables/filter.ts';
import { learningUpTo } from '../tables/search-index.ts';
import { COUNT_MAX, FEW, findCandidates } from './search-candidates.ts';
import {
  isByCount,
  type Search,
  scanForText,
  type TextMatches,
  VERIFY_MAX,
  verifyCandidates,
} from './search-verify.ts';

/** A text search without its text. */
export interface TextQuery extends Pick<ListQuery, 'sort'> {
  readonly filter: GroupFilter;
  /** End of the page; 0 without a page. */
  readonly wanted?: number;
}

/** Groups of the list passed for each candidate, before the candidates are verified directly. */
const PASSED_EACH = 4;
/** Most groups of the list passed for more candidates than that. */
const PASS_MAX = 250_000;

/** Finds the groups of a filter whose newest text contains `q`. */
export async function findText(db: Database, { filter, sort, wanted = 0 }: TextQuery, q: string): Promise<TextMatches> {
  const matches = new Where().and(likeText(db.dialect, 'e.log'), likePattern(q));
  const search: Search = { filter, sort, matches, max: Math.max(COUNT_MAX, wanted) };
  // Read before the candidates: a group that the index learns meanwhile is in both, not in neither.
  const unknown = await unknownGroups(db);
  const named = await findCandidates(db, q);
  if (named === undefined) return scanForText(db, search, VERIFY_MAX);
  const few = named.size <= FEW;
  const { ids, more } = readUnknown(unknown);
  for (const id of ids) named.add(id);
  const found = few ? await verifyCandidates(db, { ...search, max: FEW }, named) : await findAmong(db, search, named);
  return { ...found, capped: found.capped || more };
}

/** Verifies more than a few candidates: in the order of the list as long as that promises to be cheaper. */
async function findAmong(db: Database, search: Search, named: ReadonlySet<number>): Promise<TextMatches> {
  if (named.size > VERIFY_MAX) return scanForText(db, search, PASS_MAX, named);
  if (isByCount(search.sort)) return verifyCandidates(db, search, named);
  const found = await scanForText(db, search, named.size * PASSED_EACH, named);
  return found.unfinished === true ? verifyCandidates(db, search, named) : found;
}
/** Ids as one JSON array: they cost a few milliseconds even when they are not needed. */
const listOf = (select: string) =>
  statement((dialect) => {
    const list = dialect === 'sqlite' ? 'json_group_array(id)' : "coalesce(jsonb_agg(id), '[]')::text";
    return `SELECT ${list} AS ids FROM (${select}) unknown_ones`;
  });
/** The newest groups whose latest text the index does not know. */
const STALE = listOf('SELECT id FROM errlog WHERE text_stale ORDER BY id DESC LIMIT ?');
const NOT_LEARNT = listOf('SELECT id FROM errlog WHERE id <= ? ORDER BY id DESC LIMIT ?');

/** Reads the groups that the index does not know: lists of ids, each with one more than are verified. */
async function unknownGroups({ dialect, read: { sql } }: Database): Promise<string[]> {
  const upTo = await learningUpTo(sql, dialect);
  const lists = [await sql.get<{ ids: string }>(STALE, VERIFY_MAX + 1)];
  if (upTo > 0) lists.push(await sql.get<{ ids: string }>(NOT_LEARNT, upTo, VERIFY_MAX + 1));
  return lists.map((list) => list?.ids ?? '[]');
}

/** Merges the lists; `more` tells whether there are more than are verified. */
function readUnknown(lists: readonly string[]): { readonly ids: readonly number[]; readonly more: boolean } {
  const ids = [...new Set(lists.flatMap((list): number[] => JSON.parse(list)))];
  return { ids: ids.slice(0, VERIFY_MAX), more: ids.length > VERIFY_MAX };
}
