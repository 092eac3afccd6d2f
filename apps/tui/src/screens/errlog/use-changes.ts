// Reads the changes before the selected error.
import type { ErrlogChanges } from '@quarterdeck/core';
import { useCallback } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import type { Query } from '../../data/query.ts';
import { useRowQuery } from '../../data/use-row-query.ts';

const EVERY_MS = 30_000;

/** Reads while `active`, once the selection rests. */
export function useChanges(id: number | undefined, active: boolean): Query<ErrlogChanges> {
  const { client } = useDashboard();
  const read = useCallback(
    (signal: AbortSignal) => client.errlog.changes({ params: { id: id ?? 0 }, query: {} }, { signal }),
    [client, id],
  );
  return useRowQuery(id, read, { active, everyMs: EVERY_MS });
}
