// The newest groups of a selection in portions, up to a bound.
import { inJson, Where } from '@quarterdeck/core/sql';
import { findGroups, needsSearch } from './find-groups.ts';
import type { GroupReader } from './line-search.ts';
import { asQuery, inOrder, PORTION, portionsOf, portionsWith, type Query } from './ordered-scan.ts';
import type { Selection } from './selection.ts';

/** Groups that a caller wants. */
export interface Wanted {
  readonly selection: Selection;
  /** Columns of `errlog e`. */
  readonly columns: string;
  /** Most groups that are read. */
  readonly max: number;
  /** A further condition. Groups that fail it do not count for `max`. */
  readonly narrow?: Where;
}

/** A portion of groups as a subquery. `ids` are their ids in the order of the list, where the rows do not tell it. */
export interface Portion extends Query {
  readonly ids?: readonly number[];
}

/** Yields the newest groups of a selection in portions. Returns whether there are more. */
export async function* newestGroups(
  reader: GroupReader,
  { selection, columns, max, narrow }: Wanted,
): AsyncGenerator<Portion, boolean, undefined> {
  const { db } = reader;
  if (needsSearch(selection)) {
    const { ids, capped, complete } = await findGroups(reader, selection, { sort: '-log_time' });
    for (let at = 0; at < Math.min(ids.length, max); at += PORTION) {
      const some = ids.slice(at, Math.min(at + PORTION, max));
      const runs = [new Where().and(inJson(db.dialect, 'e.id'), JSON.stringify(some))];
      yield { ...asQuery({ sort: '-log_time', runs }, columns, narrow), ids: some };
    }
    return capped || !complete || ids.length > max;
  }
  const ordered = await inOrder(db, selection.groups, '-log_time');
  const { sql } = db.read;
  const portions = narrow === undefined ? portionsOf(sql, ordered, max) : portionsWith(sql, ordered, narrow, max);
  for (;;) {
    const { done, value } = await portions.next();
    if (done === true) return value;
    yield asQuery(value, columns);
  }
}
