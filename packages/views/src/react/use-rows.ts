import { useCallback } from 'react';
import { type ReadRange, ROWS_MAX } from '../reads/lists.ts';
import type { ReadBlock } from '../reads/row-window.ts';
import type { Rows } from '../reads/window.ts';
import { useWindow, type WindowOptions } from './use-window.ts';
import { useViews } from './views-context.ts';

/** Reads rows with `list`, which must be stable, while `active` and in an interval. */
export function useRows<T extends { readonly id: number }>(
  list: ReadRange<T>,
  active: boolean,
  options: Partial<Omit<WindowOptions, 'enabled'>> = {},
): Rows<T> {
  const { client, online } = useViews();
  const read = useCallback<ReadBlock<T>>(
    ({ from, to }, signal) => list(client, { start: from, end: to }, signal),
    [client, list],
  );
  return useWindow(read, { first: ROWS_MAX, ...options, enabled: online && active });
}
