import { useCallback, useEffect, useMemo, useRef } from 'react';
import { hasData } from '../reads/query.ts';
import {
  type Block,
  joinBlock,
  type LoadedRows,
  lengthAfter,
  type ReadBlock,
  WINDOW_MAX,
} from '../reads/row-window.ts';
import { ALL_MAX, LONG_FACTOR, LONG_ROWS, missingBlock, type NeededView, type Rows } from '../reads/window.ts';
import { type QueryOptions, useQuery } from './use-query.ts';

export interface WindowOptions extends QueryOptions {
  /** Rows of the first read. */
  readonly first: number;
}

/** The block that reads all loaded rows again, and rows that were added since. */
const sameRows = <T>({ rows, start }: LoadedRows<T>, first: number): Block => ({
  from: start,
  to: start + Math.max(first, rows.length),
});

const NONE: readonly never[] = [];

/** Reads with `list`, which must be stable, the rows around the view. */
export function useWindow<T extends { readonly id: number }>(
  list: ReadBlock<T>,
  { enabled = true, everyMs, isStale, first }: WindowOptions,
): Rows<T> {
  const view = useRef<NeededView>({ offset: 0, height: 0, needsAll: false });
  const known = useRef<{ readonly of: ReadBlock<T>; readonly loaded: LoadedRows<T> } | null>(null);
  const reading = useRef<Block | null>(null);
  const loadedRows = useCallback(() => (known.current?.of === list ? known.current.loaded : null), [list]);

  const read = useCallback(
    async (signal: AbortSignal): Promise<LoadedRows<T>> => {
      const before = loadedRows();
      const missing = before === null ? { from: 0, to: first } : missingBlock(before, view.current);
      const block = missing ?? sameRows(before ?? { rows: [], start: 0, total: 0 }, first);
      reading.current = block;
      try {
        const { data, meta } = await list(block, signal);
        const answer = { rows: data, start: block.from };
        const joins = before !== null && missing !== null;
        const window = joins ? joinBlock(before, answer, ({ id }) => id, Math.max(WINDOW_MAX, data.length)) : answer;
        const loaded = { ...window, total: lengthAfter(meta.count, block, data.length, ALL_MAX) };
        if (!signal.aborted) known.current = { of: list, loaded };
        return loaded;
      } finally {
        if (reading.current === block) reading.current = null;
      }
    },
    [list, first, loadedRows],
  );
  const isLong = (loadedRows()?.rows.length ?? 0) > LONG_ROWS;
  const handle = useQuery(read, {
    enabled,
    everyMs: everyMs !== undefined && isLong ? LONG_FACTOR * everyMs : everyMs,
    isStale,
  });
  const { query, refresh, change: changeData } = handle;

  const onView = useCallback(
    (next: NeededView): void => {
      view.current = next;
      const loaded = loadedRows();
      const block = loaded === null ? null : missingBlock(loaded, next);
      // A block on its way is not asked for again.
      if (block !== null && !(block.from === reading.current?.from && block.to === reading.current.to)) refresh();
    },
    [loadedRows, refresh],
  );
  const change = useCallback(
    (update: (loaded: LoadedRows<T>) => LoadedRows<T>): void => {
      const loaded = loadedRows();
      if (loaded !== null) known.current = { of: list, loaded: update(loaded) };
      changeData(update);
    },
    [list, loadedRows, changeData],
  );

  const readAll = useCallback(
    async (progress: (read: number) => void): Promise<readonly T[]> => {
      const rows: T[] = [];
      for (;;) {
        const block = { from: rows.length, to: rows.length + ALL_MAX };
        const { data: more, meta } = await list(block, new AbortController().signal);
        rows.push(...more);
        if (more.length === 0 || rows.length >= meta.count) return rows;
        progress(rows.length);
      }
    },
    [list],
  );
  const data = hasData(query) ? query.data : null;
  // One move can need several blocks
  useEffect(() => {
    if (data !== null && enabled) onView(view.current);
  }, [data, enabled, onView]);
  const note = 'failure' in query ? `not loaded: ${query.failure.message}` : 'loading';
  const { rows = NONE, start = 0, total = 0 } = data ?? {};
  const partial = useMemo(
    () => ({ start, length: total, note, onView, readAll }),
    [start, total, note, onView, readAll],
  );
  return { query, refresh, change, rows, total, partial };
}
