// Widths of columns. Pure.

export interface ColumnSize {
  /** Width in columns of the terminal; the minimum if the column grows. */
  readonly width: number;
  /** Share of the remaining room; 0 by default. */
  readonly grow?: number;
  /** Maximum width of a growing column. */
  readonly max?: number | undefined;
  /** Priority of dropping the column when there is no room, the highest first. Never dropped by default. */
  readonly drop?: number | undefined;
}

/** Blank columns between two columns. */
export const GAP = 2;

/** Returns the width of each column in `total` columns of the terminal; 0 for a dropped column. */
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
  // If the rest still does not fit, growing columns shrink.
  let over = Math.max(0, needed() - total);
  for (const index of [...kept].filter((kept) => (columns[kept]?.grow ?? 0) > 0).reverse()) {
    const given = Math.min(over, (widths[index] ?? 0) - 1);
    widths[index] = (widths[index] ?? 0) - given;
    over -= given;
  }
  let left = Math.max(0, total - needed());
  // A column at its maximum leaves its share to the others.
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
