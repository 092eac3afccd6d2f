// Lists that are read whole: the largest page of the server, and the total.
import type { Page } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { useDashboard } from './dashboard.ts';
import { hasData } from './query.ts';
import { type QueryHandle, useQuery } from './use-query.ts';

/** Page size. */
export const ROWS_MAX = 1_000;

/** Rows and their total. */
export interface Rows<T> extends QueryHandle<Page<T>> {
  /** Empty before the first answer. */
  readonly rows: readonly T[];
  readonly total: number;
}

const NONE: readonly never[] = [];

/** Reads rows with `list`, which must be stable, while `active` and in an interval. */
export function useRows<T>(
  list: (client: Client, signal: AbortSignal) => Promise<Page<T>>,
  active: boolean,
  everyMs?: number,
): Rows<T> {
  const { client, online } = useDashboard();
  const read = useCallback((signal: AbortSignal) => list(client, signal), [client, list]);
  const handle = useQuery(read, { enabled: online && active, ...(everyMs === undefined ? {} : { everyMs }) });
  const { query } = handle;
  return {
    ...handle,
    rows: hasData(query) ? query.data.data : NONE,
    total: hasData(query) ? query.data.meta.count : 0,
  };
}
