// Data of one row of a list, which is never shown for another row. Pure.
import { hasData, type Query } from './query.ts';

/** Data and the row that it is of. */
export interface RowData<T> {
  readonly id: number;
  readonly data: T;
}

/** Returns the query as it applies to one row. */
export function queryForRow<T>(query: Query<RowData<T>>, id: number | undefined): Query<T> {
  if (!hasData(query)) return query;
  if (query.data.id === id) return { ...query, data: query.data.data };
  // The data belongs to another row; the failure belongs to this one.
  return query.status === 'stale' ? { status: 'failed', failure: query.failure } : { status: 'loading' };
}
