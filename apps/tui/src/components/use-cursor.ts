// A selection in a list that is read as a whole.
import { useState } from 'react';
import type { Mover } from './list-commands.ts';
import { AT_TOP, type Cursor, locate, moveBy, moveTo, pin, type Spot } from './table/cursor.ts';

/** Where the selection is, and how to move it. */
export interface ListCursor extends Spot {
  readonly id: number | undefined;
  readonly mover: Mover;
}

/** The selection among these rows in a window of so many. From the first row on it stays on the row it is on. */
export function useCursor(ids: readonly number[], height: number): ListCursor {
  const [cursor, setCursor] = useState<Cursor>(AT_TOP);
  // The first rows that come are what the selection holds on to, not what takes their place later.
  if (cursor.id === null && ids.length > 0) setCursor(pin(cursor, ids, height));
  const { index, offset } = locate(cursor, ids, height);
  return {
    index,
    offset,
    id: ids[index],
    mover: {
      by: (delta) => setCursor((previous) => moveBy(previous, ids, height, delta)),
      to: (target) => setCursor((previous) => moveTo(previous, ids, height, target)),
    },
  };
}
