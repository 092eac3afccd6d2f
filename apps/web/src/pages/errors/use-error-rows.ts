// The part of the list of errors that is near the window. The rest is read when somebody scrolls there, so that memory
// and answers stay small however long the list is.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { useCallback, useEffect, useState } from 'react';
import { about } from '../../data/live.tsx';
import { boundsOf } from '../../data/range.ts';
import { type Read, useRead } from '../../data/use-read.ts';
import type { ErrorsQuery } from './errors-query.ts';
import { LOADED_ROWS, startFor } from './loaded-part.ts';

/** The loaded part of the list. */
export interface ErrorRows {
  readonly count: number;
  readonly isComplete: boolean;
  /** The row at a place; undefined while it is not loaded. */
  readonly at: (index: number) => ErrlogEntry | undefined;
}

/** Reads the rows of a query; `key` names it. */
export function useErrorRows(
  { range, sort, rollup, filter }: ErrorsQuery,
  key: string,
): readonly [read: Read<ErrorRows>, onRange: (from: number, to: number) => void] {
  const [start, setStart] = useState(0);
  // Another list begins at its first row.
  useEffect(() => {
    if (key !== undefined) setStart(0);
  }, [key]);
  const read = useRead(
    async (client, call): Promise<ErrorRows> => {
      const bounds = boundsOf(range, Math.floor(Date.now() / 1000));
      const rows = { start, end: start + LOADED_ROWS, detail: 1 };
      const { data, meta } = await client.errlog.list({ query: { ...filter, ...bounds, sort, rollup, ...rows } }, call);
      return { count: meta.count, isComplete: meta.complete !== false, at: (index) => data[index - start] };
    },
    [filter, range, sort, rollup, start],
    { concerns: about('errlog'), key: `errors ${key} ${start}`, showsBefore: true },
  );
  return [read, useCallback((from: number, to: number) => setStart((now) => startFor(from, to, now)), [])];
}
