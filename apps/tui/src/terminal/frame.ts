// Ink's frame as cells. Regions are marked by a colour that no theme has, so that overlays and clipping by Ink are
// known cell by cell.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: it is about control sequences
import { fill, type Row, write } from './row.ts';
import { applySgr, DEFAULT_STYLE, groundOf, type StyleId } from './style.ts';

/** Cells of a row that show a region. */
export interface Mark {
  readonly column: number;
  readonly count: number;
  readonly slot: number;
  /** Style under the region: a background and nothing else. */
  readonly ground: StyleId;
}

/** One row of Ink's frame. */
export interface FrameRow {
  readonly row: Row;
  readonly marks: readonly Mark[];
}

/** Maximum number of open regions. */
export const SLOTS_MAX = 256;

const MARK_SGR = '38;2;1;254;';

/** Marks cells for a region. Their text is not shown, but it must be ASCII, so that Ink measures it fast. */
export const markText = (slot: number, cells: string): string => `\u001B[${MARK_SGR}${slot}m${cells}\u001B[39m`;

// Matches a CSI sequence with its parameters and its final byte, an OSC or other string, or any other sequence.
const SEQUENCE =
  /\u001B(?:\[([\x30-\x3f]*)[\x20-\x2f]*([\x40-\x7e])|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[\x20-\x7e])?/y;

/** Content of the cells of a region. No text of a cell begins with NUL. */
const markOf = (slot: number): string => `\u0000${slot}`;
const isMark = (text: string | undefined): text is string => text?.charCodeAt(0) === 0;

/** Cells of a line, and the style after it. */
export interface Cells {
  readonly row: Row;
  readonly style: StyleId;
}

/** Reads a line of Ink's frame. Drops everything except text, styles and marks. */
export function readCells(line: string, from: StyleId = DEFAULT_STYLE, columns = Number.POSITIVE_INFINITY): Cells {
  const row: Row = { texts: [], styles: [] };
  let style = from;
  let slot: number | null = null;
  let column = 0;
  let at = 0;
  while (at < line.length && column < columns) {
    const sequenceAt = line.indexOf('\u001B', at);
    const end = sequenceAt === -1 ? line.length : sequenceAt;
    if (end > at) {
      const text = line.slice(at, end);
      column =
        slot === null
          ? write(row, column, text, style, 'inkColumns', columns)
          : fill(row, column, Math.min(text.length, columns - column), markOf(slot), style);
    }
    if (sequenceAt === -1) break;
    SEQUENCE.lastIndex = sequenceAt;
    const [sequence = '\u001B', parameters = '', final] = SEQUENCE.exec(line) ?? [];
    at = sequenceAt + sequence.length;
    if (final !== 'm') continue;
    if (parameters.startsWith(MARK_SGR)) {
      slot = Number(parameters.slice(MARK_SGR.length));
      continue;
    }
    // A marked cell keeps only the background that lies under it.
    if (slot !== null && endsColor(parameters)) slot = null;
    style = applySgr(style, parameters);
  }
  return { row, style };
}

/** Builds a row of `columns` cells. Takes over the arrays of `row`. */
export function frameRow(row: Row, columns: number): FrameRow {
  const { texts, styles } = row;
  const marks: Mark[] = [];
  for (let column = 0; column < columns; column += 1) {
    const text = texts[column];
    if (text === undefined) {
      fill(row, column, columns - column, ' ', DEFAULT_STYLE);
      break;
    }
    if (!isMark(text)) continue;
    const ground = groundOf(styles[column] ?? DEFAULT_STYLE);
    const first = column;
    while (texts[column] === text && groundOf(styles[column] ?? DEFAULT_STYLE) === ground) column += 1;
    marks.push({ column: first, count: column - first, slot: Number(text.slice(1)), ground });
    fill(row, first, column - first, ' ', DEFAULT_STYLE);
    column -= 1;
  }
  return { row, marks };
}

const endsColor = (sgr: string): boolean => /^(?:0?|39|38;.*|3\d|9\d)$/.test(sgr);

// A frame that already consists of cells passes through Ink as its number.
const DRAWN = '\u0001frame ';
let drawn: { readonly name: string; readonly rows: FrameRow[] } | null = null;
let count = 0;

/** Stores the newest frame of cells and returns its name. */
export function storeFrame(rows: FrameRow[]): string {
  count += 1;
  drawn = { name: `${DRAWN}${count}`, rows };
  return drawn.name;
}

const drawnFrame = (frame: string): FrameRow[] | undefined => (frame === drawn?.name ? drawn.rows : undefined);

/** Frames of one terminal. Unchanged lines are not read again. */
export class Frame {
  #columns = 0;
  #lines: readonly string[] = [];
  #rows: FrameRow[] = [];

  read(frame: string, columns: number): void {
    const rows = drawnFrame(frame);
    if (rows !== undefined) {
      this.#rows = rows;
      this.#lines = [];
      this.#columns = 0;
      return;
    }
    const lines = frame.split('\n');
    const old = columns === this.#columns ? this.#rows : [];
    this.#rows = lines.map((line, index) => {
      const known = old[index];
      return known !== undefined && this.#lines[index] === line
        ? known
        : frameRow(readCells(line, DEFAULT_STYLE, columns).row, columns);
    });
    this.#lines = lines;
    this.#columns = columns;
  }

  /** Returns a row; undefined below the last one. */
  row(index: number): FrameRow | undefined {
    return this.#rows[index];
  }
}
