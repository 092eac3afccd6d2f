// The terminal's own cursor, for screen readers. It follows the keys, because screen readers read at the cursor.
import type { Pen } from './diff.ts';
import type { Row } from './row.ts';
import type { StyleId } from './style.ts';

/** Styles that mark the cursor's position. */
export interface CursorLooks {
  /** Style of the caret in a text field; it comes first. */
  readonly caret: StyleId;
  /** Style of the selected row. */
  readonly selected: StyleId;
}

/** A cell of the screen. */
export interface Position {
  readonly row: number;
  readonly column: number;
}

function find(rows: readonly Row[], style: StyleId): Position | null {
  for (const [row, { styles }] of rows.entries()) {
    const column = styles.indexOf(style);
    if (column !== -1) return { row, column };
  }
  return null;
}

/** Position of the cursor; the top left corner if neither style is on the screen. */
export const cursorAt = (rows: readonly Row[], { caret, selected }: CursorLooks): Position =>
  find(rows, caret) ?? find(rows, selected) ?? { row: 0, column: 0 };

/** Returns the sequence that shows the cursor at a position; empty if it is there. */
export function showCursor(pen: Pen, { row, column }: Position): string {
  if (pen.row === row && pen.column === column) return '';
  pen.row = row;
  pen.column = column;
  return `\u001B[${row + 1};${column + 1}H\u001B[?25h`;
}
