// What to send so that one row of the terminal becomes another: absolute positions, the fewest cells that differ.
import { hasCertainWidth } from './glyph.ts';
import { isBlank, type Row, sameCell } from './row.ts';
import { DEFAULT_STYLE, type StyleId, transition } from './style.ts';

/** What the terminal's cursor is like at the moment. */
export interface Pen {
  style: StyleId;
  /** Where the next character goes; row -1 where that is not known. */
  row: number;
  column: number;
}

/** So many equal cells between two that differ are sent again: moving over them takes as many bytes. */
const GAP_MAX = 4;
/** From so many blanks on, clearing the rest of a row is shorter. */
const CLEAR_MIN = 4;

function moveTo(pen: Pen, row: number, column: number): string {
  if (pen.row === row && pen.column === column) return '';
  const move =
    pen.row === row
      ? `\u001B[${column === 0 ? '' : column + 1}G`
      : `\u001B[${row + 1}${column === 0 ? '' : `;${column + 1}`}H`;
  pen.row = row;
  pen.column = column;
  return move;
}

function restyle(pen: Pen, style: StyleId): string {
  const sequence = transition(pen.style, style);
  pen.style = style;
  return sequence;
}

/** The column after the last cell in which something can be seen. */
function endOf(row: Row): number {
  let end = row.texts.length;
  while (end > 0 && isBlank(row, end - 1)) end -= 1;
  return end;
}

/** The next column from `from` on whose cell differs; `to` where none does. A row that is not known differs everywhere. */
function nextDifferent(before: Row | null, after: Row, from: number, to: number): number {
  if (before === null) return from;
  let column = from;
  while (column < to && sameCell(before, after, column)) column += 1;
  // A glyph that is as wide as another one was not can differ in its later cells only; it is written from its first.
  if (column < to) while (column > from && after.texts[column] === '') column -= 1;
  return column;
}

/** Columns of the glyph in a cell. */
function columnsAt({ texts }: Row, column: number): number {
  let next = column + 1;
  while (texts[next] === '') next += 1;
  return next - column;
}

/** Writes one glyph where the pen is. */
function writeGlyph(pen: Pen, after: Row, column: number): string {
  const text = after.texts[column] ?? ' ';
  const columns = columnsAt(after, column);
  const style = restyle(pen, after.styles[column] ?? DEFAULT_STYLE);
  if (hasCertainWidth(text)) {
    pen.column += columns;
    return style + text;
  }
  // The terminal may draw it narrower than the cells kept for it: those are emptied first. And wherever it leaves the
  // cursor, the next character says where it goes.
  const row = pen.row;
  const emptied = columns === 1 ? '' : `${' '.repeat(columns)}\u001B[${column + 1}G`;
  pen.column = -1;
  return style + emptied + text + moveTo(pen, row, Math.min(column + columns, after.texts.length - 1));
}

/** What turns `before` into `after` on row number `row`; empty where nothing differs. */
export function diffRow(pen: Pen, row: number, before: Row | null, after: Row): string {
  if (before === after) return '';
  const width = after.texts.length;
  const end = endOf(after);
  let out = '';
  let column = nextDifferent(before, after, 0, width);
  while (column < width) {
    if (column >= end && width - column >= CLEAR_MIN) {
      return `${out}${moveTo(pen, row, column)}${restyle(pen, DEFAULT_STYLE)}\u001B[K`;
    }
    out += moveTo(pen, row, column);
    // Goes on over short stretches that are equal.
    for (;;) {
      out += writeGlyph(pen, after, column);
      column += columnsAt(after, column);
      const next = nextDifferent(before, after, column, width);
      if (next >= width || next - column > GAP_MAX || (next >= end && width - next >= CLEAR_MIN)) {
        column = next;
        break;
      }
      if (next > column && after.styles[column] !== pen.style) {
        column = next;
        break;
      }
    }
  }
  // In the last column the cursor does not go on, and terminals differ in where they say it is.
  if (pen.column >= width) pen.row = -1;
  return out;
}
