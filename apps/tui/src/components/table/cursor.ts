// Selection and visible rows of a list. The selection is an id: when rows come, go or move, it stays on its row, and
// its row stays on its line of the screen. Pure.

/** The selection. */
export interface Cursor {
  /** Id of the selected row; null: the first row. */
  readonly id: number | null;
  /** Last index, for a row that is gone. */
  readonly index: number;
  /** Line of the window. */
  readonly line: number;
}

/** Position of the selection and the window. `index` is -1 in an empty list. */
export interface CursorPosition {
  readonly index: number;
  /** Index of the first visible row. */
  readonly offset: number;
}

/** Selects the first row. */
export const AT_TOP: Cursor = { id: null, index: 0, line: 0 };

/** Minimum number of rows above and below the selection. */
const MARGIN = 2;

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));

/** Finds the selection among the current rows, and the window that shows it. */
export function locateCursor(cursor: Cursor, ids: readonly number[], height: number): CursorPosition {
  if (ids.length === 0) return { index: -1, offset: 0 };
  const found = cursor.id === null ? 0 : ids.indexOf(cursor.id);
  const index = found === -1 ? clamp(cursor.index, 0, ids.length - 1) : found;
  const line = clamp(cursor.line, 0, Math.max(0, height - 1));
  return { index, offset: clamp(index - line, 0, Math.max(0, ids.length - height)) };
}

/** Selects the row at an index. The window moves as little as possible. */
export function moveTo(cursor: Cursor, ids: readonly number[], height: number, index: number): Cursor {
  const id = ids[clamp(index, 0, ids.length - 1)];
  if (id === undefined) return AT_TOP;
  const target = clamp(index, 0, ids.length - 1);
  const { offset } = locateCursor(cursor, ids, height);
  const margin = clamp(MARGIN, 0, Math.floor((height - 1) / 2));
  const furthest = Math.max(0, ids.length - height);
  const moved = clamp(offset, target - (height - 1 - margin), target - margin);
  return { id, index: target, line: target - clamp(moved, 0, furthest) };
}

/** Moves the selection by `delta` rows. */
export function moveBy(cursor: Cursor, ids: readonly number[], height: number, delta: number): Cursor {
  return moveTo(cursor, ids, height, locateCursor(cursor, ids, height).index + delta);
}

/** Fixes the selection on its current row, so that rows above it do not take its place. */
export function anchorCursor(cursor: Cursor, ids: readonly number[], height: number): Cursor {
  const { index, offset } = locateCursor(cursor, ids, height);
  const id = ids[index];
  return id === undefined ? cursor : { id, index, line: index - offset };
}
