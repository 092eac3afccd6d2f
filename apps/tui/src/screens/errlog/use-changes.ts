// What changed before the selected error, once the selection rests on it.
import type { ErrlogChanges } from '@quarterdeck/core';
import { useCallback } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData, type Query } from '../../data/query.ts';
import { rested } from '../../data/rested.ts';
import { useQuery } from '../../data/use-query.ts';

const EVERY_MS = 30_000;

/** Reads it while `active`. */
export function useChanges(id: number | undefined, active: boolean): Query<ErrlogChanges> {
  const { client, online } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal) => {
      if (id === undefined) return null;
      await rested(signal);
      return { id, changes: await client.errlog.changes({ params: { id }, query: {} }, { signal }) };
    },
    [client, id],
  );
  const { query } = useQuery(read, { enabled: online && active && id !== undefined, everyMs: EVERY_MS });
  if (!hasData(query)) return query;
  // What is known of the row before is nothing about this one.
  return query.data?.id === id && query.data !== null ? { ...query, data: query.data.changes } : { status: 'loading' };
}
