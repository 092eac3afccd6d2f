import { useCallback } from 'react';
import type { FeedEvent } from '../live/feed.ts';
import { debounce } from '../reads/debounce.ts';
import type { Query } from '../reads/query.ts';
import { queryForRow, type RowData } from '../reads/row-query.ts';
import { useEvents } from './use-events.ts';
import { useQuery } from './use-query.ts';
import { useViews } from './views-context.ts';

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
  const { online } = useViews();
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
