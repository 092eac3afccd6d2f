// What belongs to the selected row alone: read once the selection rests on it, and never taken for another row's.
import { useCallback } from 'react';
import { useDashboard } from './dashboard.ts';
import { debounce } from './debounce.ts';
import { hasData, type Query } from './query.ts';
import { useQuery } from './use-query.ts';

interface RowData<T> {
  readonly id: number;
  readonly data: T;
}

/** Reads something of the row `id` with `read`, which must be stable, while `active`; again every so often. */
export function useRowQuery<T>(
  id: number | undefined,
  read: (signal: AbortSignal) => Promise<T>,
  { active, everyMs }: { readonly active: boolean; readonly everyMs: number },
): Query<T> {
  const { online } = useDashboard();
  const readOf = useCallback(
    async (signal: AbortSignal): Promise<RowData<T>> => {
      await debounce(signal);
      return { id: id ?? 0, data: await read(signal) };
    },
    [id, read],
  );
  const { query } = useQuery(readOf, { enabled: online && active && id !== undefined, everyMs });
  return queryForRow(query, id);
}

/** The query as it is for one row. */
export function queryForRow<T>(query: Query<RowData<T>>, id: number | undefined): Query<T> {
  if (!hasData(query)) return query;
  if (query.data.id === id) return { ...query, data: query.data.data };
  // What is known is of another row; what went wrong since then is of this one.
  return query.status === 'stale' ? { status: 'failed', failure: query.failure } : { status: 'loading' };
}
