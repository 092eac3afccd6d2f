// The terminal's own cursor, for screen readers: it stands where the keys go, and what they read is where it stands.
import type { Pen } from './diff.ts';
import type { Row } from './row.ts';
import type { StyleId } from './style.ts';

/** What tells where it belongs. */
export interface CursorLooks {
  /** Of the place in a text that is being typed; it goes before the other. */
  readonly caret: StyleId;
  /** Of what is selected. */
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

/** Where the cursor belongs; at the top where nothing says it. */
export const cursorAt = (rows: readonly Row[], { caret, selected }: CursorLooks): Position =>
  find(rows, caret) ?? find(rows, selected) ?? { row: 0, column: 0 };

/** Brings the cursor there, in sight; empty where it is there. */
export function showCursor(pen: Pen, { row, column }: Position): string {
  if (pen.row === row && pen.column === column) return '';
  pen.row = row;
  pen.column = column;
  return `\u001B[${row + 1};${column + 1}H\u001B[?25h`;
}
