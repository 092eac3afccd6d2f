// Reads data of the selected row, after a delay, and never shows it for another row.

import type { FeedEvent } from '@quarterdeck/views/live';
import { debounce, hasData, type Query } from '@quarterdeck/views/reads';
import { useCallback } from 'react';
import { useDashboard } from './dashboard.ts';
import { useEvents } from './use-events.ts';
import { useQuery } from './use-query.ts';

interface RowData<T> {
  readonly id: number;
  readonly data: T;
}

/** When the data of a row is read. */
export interface RowReads {
  readonly active: boolean;
  /** Interval, milliseconds. */
  readonly everyMs?: number;
  /** Reports whether the data must be read again after an event; after none by default. */
  readonly isStale?: (event: FeedEvent) => boolean;
}

/** Reads data of the row `id` with `read`, which must be stable, while `active`. */
export function useRowQuery<T>(
  id: number | undefined,
  read: (signal: AbortSignal) => Promise<T>,
  { active, everyMs, isStale }: RowReads,
): Query<T> {
  const { online } = useDashboard();
  const readOf = useCallback(
    async (signal: AbortSignal): Promise<RowData<T>> => {
      await debounce(signal);
      return { id: id ?? 0, data: await read(signal) };
    },
    [id, read],
  );
  const { query, refresh } = useQuery(readOf, {
    enabled: online && active && id !== undefined,
    ...(everyMs === undefined ? {} : { everyMs }),
  });
  useEvents((events) => {
    if (active && isStale !== undefined && events.some(isStale)) refresh();
  });
  return queryForRow(query, id);
}

/** Returns the query as it applies to one row. */
export function queryForRow<T>(query: Query<RowData<T>>, id: number | undefined): Query<T> {
  if (!hasData(query)) return query;
  if (query.data.id === id) return { ...query, data: query.data.data };
  // The data belongs to another row; the failure belongs to this one.
  return query.status === 'stale' ? { status: 'failed', failure: query.failure } : { status: 'loading' };
}
