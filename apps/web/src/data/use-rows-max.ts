import { useCallback, useState } from 'react';

/** Rows of the first read, and of each further one. */
const BLOCK = 200;
const ROWS_MAX = 10_000;

/**
 * Returns the number of rows that a list reads, and a function that raises it when the end of the loaded rows comes
 * into view.
 */
export function useRowsMax(): readonly [max: number, onRange: (to: number, loaded: number) => void] {
  const [max, setMax] = useState(BLOCK);
  const onRange = useCallback(
    (to: number, loaded: number): void => {
      if (to + BLOCK / 2 > max && loaded === max) setMax(Math.min(ROWS_MAX, max + BLOCK));
    },
    [max],
  );
  return [max, onRange];
}
