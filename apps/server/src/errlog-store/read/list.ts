// A page of groups, in any order and of any filter, and the number of groups there are.
import type { Database } from '@quarterdeck/core/db';
import { type ErrlogPage, type ListQuery, toDetail } from '../tables/columns.ts';
import { byCountPage } from './by-count.ts';
import { countGroups } from './count.ts';
import { deepPage, type IndexedSort, inOrder } from './ordered-scan.ts';
import { rollupPage } from './rollup.ts';
import { searchPage } from './search.ts';

/** A page of groups, and how many there are. */
export async function listErrlog(db: Database, query: ListQuery): Promise<ErrlogPage> {
  if (query.rollup) return rollupPage(db, query);
  if (query.filter.q !== undefined) return searchPage(db, query, query.filter.q);
  if (query.sort === 'count' || query.sort === '-count') return byCountPage(db, query);
  return indexedPage(db, query, query.sort);
}

async function indexedPage(db: Database, { filter, slice, detail }: ListQuery, sort: IndexedSort): Promise<ErrlogPage> {
  const ordered = await inOrder(db, filter, sort, slice.offset);
  const count = ordered.count ?? (await countGroups(db, filter));
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const data = await deepPage(db.read.sql, ordered, slice, { count, detail });
  return { data: detail === 1 ? data.map(toDetail) : data, meta: { count } };
}
