// Computes the output that turns one row of the terminal into another: absolute positions and the fewest cells.
import { hasCertainWidth } from './glyph.ts';
import { isBlank, type Row, sameCell } from './row.ts';
import { DEFAULT_STYLE, type StyleId, styleOfBlank, transition } from './style.ts';

/** State of the terminal's cursor. */
export interface Pen {
  style: StyleId;
  /** Position of the next character; row -1 if unknown. */
  row: number;
  column: number;
}

/** Maximum number of equal cells to send again between two that differ: moving over them takes as many bytes. */
const GAP_MAX = 4;
/** Minimum number of blanks at the end of a row for which clearing the rest is shorter. */
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

/** Changes the style for a blank. The colour of its text would not show, and the shortest sequence has none. */
const restyleBlank = (pen: Pen, style: StyleId): string => {
  const shown = styleOfBlank(style);
  return styleOfBlank(pen.style) === shown ? '' : restyle(pen, shown);
};

/** Returns the column after the last visible cell. */
function endOf(row: Row): number {
  let end = row.texts.length;
  while (end > 0 && isBlank(row, end - 1)) end -= 1;
  return end;
}

/** Returns the first column from `from` on whose cell differs, or `to`. In an unknown row every cell differs. */
function nextDifferent(before: Row | null, after: Row, from: number, to: number): number {
  if (before === null) return from;
  let column = from;
  while (column < to && sameCell(before, after, column)) column += 1;
  // If two glyphs differ in width, the difference may be in a later cell only; writing begins at the first cell.
  if (column < to) while (column > from && after.texts[column] === '') column -= 1;
  return column;
}

/** Returns the number of columns of the glyph in a cell. */
function columnsAt({ texts }: Row, column: number): number {
  let next = column + 1;
  while (texts[next] === '') next += 1;
  return next - column;
}

/** Writes one glyph at the pen. */
function writeGlyph(pen: Pen, after: Row, column: number): string {
  const text = after.texts[column] ?? ' ';
  const columns = columnsAt(after, column);
  const wanted = after.styles[column] ?? DEFAULT_STYLE;
  const style = text === ' ' ? restyleBlank(pen, wanted) : restyle(pen, wanted);
  if (hasCertainWidth(text)) {
    pen.column += columns;
    return style + text;
  }
  // The terminal may draw the glyph narrower than its cells, so the cells are blanked first. The next character has an
  // absolute position, because the cursor's position is unknown.
  const row = pen.row;
  const emptied = columns === 1 ? '' : `${' '.repeat(columns)}\u001B[${column + 1}G`;
  pen.column = -1;
  return style + emptied + text + moveTo(pen, row, Math.min(column + columns, after.texts.length - 1));
}

/** Returns the output that turns `before` into `after` in row `row`; empty if they are equal. */
export function diffRow(pen: Pen, row: number, before: Row | null, after: Row): string {
  if (before === after) return '';
  const width = after.texts.length;
  const end = endOf(after);
  let out = '';
  let column = nextDifferent(before, after, 0, width);
  while (column < width) {
    if (column >= end && width - column >= CLEAR_MIN) {
      return `${out}${moveTo(pen, row, column)}${restyleBlank(pen, DEFAULT_STYLE)}\u001B[K`;
    }
    out += moveTo(pen, row, column);
    // Continues over short runs of equal cells.
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
  // After the last column, terminals differ in the position they report.
  if (pen.column >= width) pen.row = -1;
  return out;
}
