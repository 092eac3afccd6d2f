// Lists of the administration API: the largest usual page, and more where the user goes there.
import type { Page } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import type { ReadBlock } from '@quarterdeck/views/reads';
import { useCallback } from 'react';
import { useDashboard } from './dashboard.ts';
import { ROWS_MAX, type RowRange } from './lists.ts';
import { type Rows, useWindow } from './use-window.ts';

/** Reads a range of a list. */
export type ReadRange<T> = (client: Client, query: RowRange, signal: AbortSignal) => Promise<Page<T>>;

/** Reads rows with `list`, which must be stable, while `active` and in an interval. */
export function useRows<T extends { readonly id: number }>(
  list: ReadRange<T>,
  active: boolean,
  { everyMs, first = ROWS_MAX }: { readonly everyMs?: number; readonly first?: number } = {},
): Rows<T> {
  const { client, online } = useDashboard();
  const read = useCallback<ReadBlock<T>>(
    ({ from, to }, signal) => list(client, { start: from, end: to }, signal),
    [client, list],
  );
  return useWindow(read, { enabled: online && active, first, ...(everyMs === undefined ? {} : { everyMs }) });
}
