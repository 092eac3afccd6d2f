// One row of cells. A wide glyph is in its first cell; its other cells contain empty text.
import { isSimple } from '@quarterdeck/views/text';
import { glyphsOf } from './glyph.ts';
import { DEFAULT_STYLE, type StyleId } from './style.ts';

/** Cells from left to right. Immutable once shared. */
export interface Row {
  readonly texts: string[];
  readonly styles: StyleId[];
}

/** Text of an empty cell. */
const BLANK = ' ';

/** Creates an empty row. */
export const blankRow = (columns: number): Row => ({
  texts: new Array<string>(columns).fill(BLANK),
  styles: new Array<StyleId>(columns).fill(DEFAULT_STYLE),
});

/** Returns whether a cell is empty. */
export const isBlank = ({ texts, styles }: Row, column: number): boolean =>
  texts[column] === BLANK && styles[column] === DEFAULT_STYLE;

/** Returns whether two rows look the same in a column. */
export const sameCell = (a: Row, b: Row, column: number): boolean =>
  a.texts[column] === b.texts[column] && a.styles[column] === b.styles[column];

/** Blanks the rest of a wide glyph whose other half is overwritten. */
function blankHalves({ texts }: Row, from: number, to: number): void {
  if (texts[from] === '') for (let column = from - 1; column >= 0; column -= 1) if (blankOne(texts, column)) break;
  for (let column = to; texts[column] === ''; column += 1) texts[column] = BLANK;
}

/** Returns true at the glyph's first cell. */
function blankOne(texts: string[], column: number): boolean {
  const isFirst = texts[column] !== '';
  texts[column] = BLANK;
  return isFirst;
}

/** Fills cells with the same text. */
export function fill(row: Row, from: number, count: number, text: string, style: StyleId): number {
  for (let column = from; column < from + count; column += 1) {
    row.texts[column] = text;
    row.styles[column] = style;
  }
  return from + count;
}

/**
 * Writes text from a column on, up to `end`, and returns the column after it. A wide glyph that does not fit becomes
 * blank.
 */
export function write(
  row: Row,
  from: number,
  text: string,
  style: StyleId,
  widths: 'columns' | 'inkColumns',
  end = row.texts.length,
): number {
  const { texts, styles } = row;
  let column = from;
  if (isSimple(text)) {
    const last = Math.min(end, from + text.length);
    for (; column < last; column += 1) {
      texts[column] = text[column - from] as string;
      styles[column] = style;
    }
    return column;
  }
  for (const glyph of glyphsOf(text)) {
    if (column >= end) break;
    const next = column + glyph[widths];
    const isWhole = next <= end;
    texts[column] = isWhole ? glyph.text : BLANK;
    styles[column] = style;
    for (let rest = column + 1; rest < Math.min(next, end); rest += 1) {
      texts[rest] = isWhole ? '' : BLANK;
      styles[rest] = style;
    }
    column = Math.min(next, end);
  }
  return column;
}

/** Copies cells of one row into another. */
export function copyCells(from: Row, fromColumn: number, to: Row, toColumn: number, count: number): void {
  blankHalves(to, toColumn, toColumn + count);
  for (let index = 0; index < count; index += 1) {
    to.texts[toColumn + index] = from.texts[fromColumn + index] ?? BLANK;
    to.styles[toColumn + index] = from.styles[fromColumn + index] ?? DEFAULT_STYLE;
  }
  // Blanks glyphs that the edges of the copied cells cut in two.
  for (let index = toColumn; index < toColumn + count && to.texts[index] === ''; index += 1) to.texts[index] = BLANK;
  const last = fromColumn + count;
  if (from.texts[last] === '') {
    let index = toColumn + count - 1;
    while (index > toColumn && to.texts[index] === '') {
      to.texts[index] = BLANK;
      index -= 1;
    }
    to.texts[index] = BLANK;
  }
}
