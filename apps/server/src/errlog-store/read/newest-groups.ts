// The newest groups of a filter in portions, up to a bound.
import type { ErrlogFilter } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { Where } from '../../sql/where.ts';
import { asQuery, inOrder, PORTION, portionsOf, portionsWith, type Query } from './ordered-scan.ts';
import { findText } from './search.ts';

/** Groups that a caller wants. */
export interface Wanted {
  readonly filter: ErrlogFilter;
  /** Columns of `errlog e`. */
  readonly columns: string;
  /** Most groups that are read. */
  readonly max: number;
  /** A further condition. Groups that fail it do not count for `max`. */
  readonly narrow?: Where;
}

/** Yields the newest groups of a filter in portions, each as a subquery. Returns whether there are more. */
export async function* newestGroups(
  db: Database,
  { filter, columns, max, narrow }: Wanted,
): AsyncGenerator<Query, boolean, undefined> {
  if (filter.q !== undefined) {
    const { ids, capped } = await findText(db, { filter, sort: '-log_time' }, filter.q);
    for (let at = 0; at < Math.min(ids.length, max); at += PORTION) {
      const some = JSON.stringify(ids.slice(at, Math.min(at + PORTION, max)));
      const runs = [new Where().and(inJson(db.dialect, 'e.id'), some)];
      yield asQuery({ sort: '-log_time', runs }, columns, narrow);
    }
    return capped || ids.length > max;
  }
  const ordered = await inOrder(db, filter, '-log_time');
  const { sql } = db.read;
  const portions = narrow === undefined ? portionsOf(sql, ordered, max) : portionsWith(sql, ordered, narrow, max);
  for (;;) {
    const { done, value } = await portions.next();
    if (done === true) return value;
    yield asQuery(value, columns);
  }
}
