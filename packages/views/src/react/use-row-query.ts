import { useCallback } from 'react';
import { debounce } from '../reads/debounce.ts';
import type { Query } from '../reads/query.ts';
import { queryForRow, type RowData } from '../reads/row-query.ts';
import { type QueryOptions, useQuery } from './use-query.ts';
import { useViews } from './views-context.ts';

/** When the data of a row is read. */
export interface RowReads extends Omit<QueryOptions, 'enabled'> {
  readonly active: boolean;
}

/** Reads data of the row `id` with `read`, which must be stable, while `active`. */
export function useRowQuery<T>(
  id: number | undefined,
  read: (signal: AbortSignal) => Promise<T>,
  { active, ...options }: RowReads,
): Query<T> {
  const { online } = useViews();
  const readOf = useCallback(
    async (signal: AbortSignal): Promise<RowData<T>> => {
      await debounce(signal);
      return { id: id ?? 0, data: await read(signal) };
    },
    [id, read],
  );
  const { query } = useQuery(readOf, { ...options, enabled: online && active && id !== undefined });
  return queryForRow(query, id);
}
