// What Ink has drawn, as cells. Regions are marked in it by a colour that no theme has, so that whatever Ink draws over
// a region, and whatever it cuts off from it, is known cell by cell.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: it is about control sequences
import { blankRow, type Row, write } from './row.ts';
import { applySgr, DEFAULT_STYLE, type StyleId } from './style.ts';

/** Cells of a row that show a region. */
export interface Mark {
  readonly column: number;
  readonly count: number;
  readonly slot: number;
  /** What lies under the region: a look that has at most a background. */
  readonly ground: StyleId;
}

/** One row of Ink's frame. */
export interface FrameRow {
  readonly row: Row;
  readonly marks: readonly Mark[];
}

/** Most regions at once. */
export const SLOTS_MAX = 256;

const MARK_SGR = '38;2;1;254;';

/** Marks cells for a region. What is in them is not shown, but it should be ASCII, which Ink measures for nothing. */
export const markText = (slot: number, cells: string): string => `\u001B[${MARK_SGR}${slot}m${cells}\u001B[39m`;

// A CSI sequence with its parameters and its final byte, an OSC or another string, or any other sequence.
const SEQUENCE =
  /\u001B(?:\[([\x30-\x3f]*)[\x20-\x2f]*([\x40-\x7e])|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[\x20-\x7e])?/y;

/** Reads one line of a frame. Everything but text and looks is dropped. */
export function parseLine(line: string, columns: number): FrameRow {
  const row = blankRow(columns);
  const marks: Mark[] = [];
  let style = DEFAULT_STYLE;
  let slot: number | null = null;
  let column = 0;
  let at = 0;
  while (at < line.length && column < columns) {
    const sequenceAt = line.indexOf('\u001B', at);
    const end = sequenceAt === -1 ? line.length : sequenceAt;
    if (end > at) {
      const text = line.slice(at, end);
      if (slot === null) {
        column = write(row, column, text, style, 'inkColumns');
      } else {
        const count = Math.min(text.length, columns - column);
        marks.push({ column, count, slot, ground: style });
        column += count;
      }
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
    // A marked cell has a look of its own only in what is under it.
    if (slot !== null && endsColor(parameters)) slot = null;
    style = applySgr(style, parameters);
  }
  return { row, marks };
}

const endsColor = (sgr: string): boolean => /^(?:0?|39|38;.*|3\d|9\d)$/.test(sgr);

/** Frames of one terminal. Lines that have not changed are not read again. */
export class Frame {
  #columns = 0;
  #lines: readonly string[] = [];
  #rows: FrameRow[] = [];

  /** Takes in a frame. */
  read(frame: string, columns: number): void {
    const lines = frame.split('\n');
    const old = columns === this.#columns ? this.#rows : [];
    this.#rows = lines.map((line, index) => {
      const known = old[index];
      return known !== undefined && this.#lines[index] === line ? known : parseLine(line, columns);
    });
    this.#lines = lines;
    this.#columns = columns;
  }

  /** A row, or undefined below the last one. */
  row(index: number): FrameRow | undefined {
    return this.#rows[index];
  }
}
