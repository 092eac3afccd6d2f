// How wide each column is. Pure.

/** What a table needs to know of a column to give it room. */
export interface ColumnSize {
  /** Columns of the terminal it takes; at least so many where it grows. */
  readonly width: number;
  /** Share of the room that is left over; 0 or absent: none. */
  readonly grow?: number;
  /** A growing column gets no wider than this. */
  readonly max?: number | undefined;
  /** Where there is not enough room, the highest goes first; absent: never. */
  readonly drop?: number | undefined;
}

/** Blank columns between two columns. */
export const GAP = 2;

/** Width of each column, 0 for one that is left out, in `total` columns of the terminal. */
export function fitColumns(columns: readonly ColumnSize[], total: number): number[] {
  const kept = new Set(columns.keys());
  const needed = (): number =>
    [...kept].reduce((sum, index) => sum + (columns[index]?.width ?? 0), GAP * Math.max(0, kept.size - 1));
  const leaving = [...columns.entries()]
    .filter(([, { drop }]) => drop !== undefined)
    .sort(([, a], [, b]) => (b.drop ?? 0) - (a.drop ?? 0));
  for (const [index] of leaving) {
    if (needed() <= total) break;
    kept.delete(index);
  }

  const widths = columns.map(({ width }, index) => (kept.has(index) ? width : 0));
  // What cannot be left out and still does not fit is taken from those that would have grown.
  let over = Math.max(0, needed() - total);
  for (const index of [...kept].filter((kept) => (columns[kept]?.grow ?? 0) > 0).reverse()) {
    const given = Math.min(over, (widths[index] ?? 0) - 1);
    widths[index] = (widths[index] ?? 0) - given;
    over -= given;
  }
  let left = Math.max(0, total - needed());
  // A column that reaches its largest width leaves its share to the others.
  let growing = [...kept].filter((index) => (columns[index]?.grow ?? 0) > 0);
  while (left > 0 && growing.length > 0) {
    const shares = growing.reduce((sum, index) => sum + (columns[index]?.grow ?? 0), 0);
    const room = left;
    for (const index of growing) {
      const { grow = 0, max = Number.POSITIVE_INFINITY } = columns[index] ?? { width: 0 };
      const share = Math.min(left, Math.max(1, Math.floor((room * grow) / shares)), max - (widths[index] ?? 0));
      widths[index] = (widths[index] ?? 0) + share;
      left -= share;
    }
    growing = growing.filter((index) => (widths[index] ?? 0) < (columns[index]?.max ?? Number.POSITIVE_INFINITY));
  }
  return widths;
}
