// Selection and visible rows of a list. The selection is an id: when rows come, go or move, it stays on its row, and
// its row stays on its line of the screen. Of a long list only some rows are loaded; positions are those of the whole
// list. Pure.

export interface Cursor {
  /** Id of the selected row; null: the first row; {@link UNLOADED}: the row at `index`, whose id is not known yet. */
  readonly id: number | null;
  /** Last index, for a row that is gone. */
  readonly index: number;
  /** Line of the window, or {@link FROM_TOP}. */
  readonly line: number;
}

/** Position of the selection and the window. `index` is -1 in an empty list. */
export interface CursorPosition {
  readonly index: number;
  /** Index of the first visible row. */
  readonly offset: number;
}

/** The place of the loaded rows in the whole list: they begin at row `start` of `length`. */
export interface Extent {
  readonly start: number;
  readonly length: number;
}

/** Selects the first row. */
export const AT_TOP: Cursor = { id: null, index: 0, line: 0 };

/** Id of a selection that waits for its row; no row has it. */
export const UNLOADED = -1;

/** Line of a selection whose window begins with the first row, or as near to it as the selection lets it. */
export const FROM_TOP = Number.MAX_SAFE_INTEGER;

/** Minimum number of rows above and below the selection. */
const MARGIN = 2;

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));

/** The extent of a list that is loaded whole. */
const wholeOf = (ids: readonly number[]): Extent => ({ start: 0, length: ids.length });

/** Finds the selection among the loaded rows, and the window that shows it. */
export function locateCursor(
  cursor: Cursor,
  ids: readonly number[],
  height: number,
  { start, length }: Extent = wholeOf(ids),
): CursorPosition {
  if (length === 0) return { index: -1, offset: 0 };
  const found = cursor.id === null ? -start : ids.indexOf(cursor.id);
  const index = cursor.id !== null && found === -1 ? clamp(cursor.index, 0, length - 1) : start + found;
  const line = clamp(cursor.line, 0, Math.max(0, height - 1));
  return { index, offset: clamp(index - line, 0, Math.max(0, length - height)) };
}

/** Selects the row at an index. The window moves as little as possible. */
export function moveTo(
  cursor: Cursor,
  ids: readonly number[],
  height: number,
  index: number,
  extent: Extent = wholeOf(ids),
): Cursor {
  const { start, length } = extent;
  if (length === 0) return AT_TOP;
  const target = clamp(index, 0, length - 1);
  const { offset } = locateCursor(cursor, ids, height, extent);
  const margin = clamp(MARGIN, 0, Math.floor((height - 1) / 2));
  const furthest = Math.max(0, length - height);
  const moved = clamp(offset, target - (height - 1 - margin), target - margin);
  return { id: ids[target - start] ?? UNLOADED, index: target, line: target - clamp(moved, 0, furthest) };
}

/** Moves the selection by `delta` rows. */
export function moveBy(
  cursor: Cursor,
  ids: readonly number[],
  height: number,
  delta: number,
  extent: Extent = wholeOf(ids),
): Cursor {
  return moveTo(cursor, ids, height, locateCursor(cursor, ids, height, extent).index + delta, extent);
}

/** Shows the list from its first row, after a sort or a filter, as far as the selection stays in view. */
export const fromTop = (cursor: Cursor): Cursor => (cursor.id === null ? cursor : { ...cursor, line: FROM_TOP });

/** Fixes the selection on its current row, so that rows above it do not take its place. */
export function anchorCursor(
  cursor: Cursor,
  ids: readonly number[],
  height: number,
  extent: Extent = wholeOf(ids),
): Cursor {
  const { index, offset } = locateCursor(cursor, ids, height, extent);
  const id = ids[index - extent.start];
  return id === undefined ? cursor : { id, index, line: cursor.line === FROM_TOP ? FROM_TOP : index - offset };
}
