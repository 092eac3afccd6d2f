// Replaces the part of Ink that joins drawn text into one string, in the bundle. Text becomes cells directly, and lines
// are cached. Ink's own creates an object for each cell of each frame. A test compares both.
import { type FrameRow, frameRow, readCells, storeFrame } from './frame.ts';
import { blankRow, copyCells, type Row } from './row.ts';
import { DEFAULT_STYLE, transition } from './style.ts';

type Transformer = (line: string, index: number) => string;

/** Half-open rectangle; an undefined edge does not clip. */
interface Clip {
  readonly x1: number | undefined;
  readonly x2: number | undefined;
  readonly y1: number | undefined;
  readonly y2: number | undefined;
}

/** Maximum number of cached lines: a few screens. */
const LINES_MAX = 1_000;
const lines = new Map<string, Row>();

function cellsOfLine(line: string): Row {
  const known = lines.get(line);
  if (known !== undefined) return known;
  const { row } = readCells(line);
  if (lines.size >= LINES_MAX) lines.clear();
  lines.set(line, row);
  return row;
}

const tighter = (
  a: number | undefined,
  b: number | undefined,
  choose: (a: number, b: number) => number,
): number | undefined => (a === undefined ? b : b === undefined ? a : choose(a, b));

/** A frame while Ink draws it. */
// biome-ignore lint/style/noDefaultExport: it stands for a module that has one
export default class CellOutput {
  readonly width: number;
  readonly height: number;
  readonly #rows: Row[];
  readonly #clips: Clip[] = [];

  constructor({ width, height }: { readonly width: number; readonly height: number }) {
    this.width = width;
    this.height = height;
    this.#rows = Array.from({ length: height }, () => blankRow(width));
  }

  write(x: number, y: number, text: string, { transformers }: { readonly transformers: readonly Transformer[] }): void {
    let style = DEFAULT_STYLE;
    for (const [index, line] of text.split('\n').entries()) {
      const whole = transition(DEFAULT_STYLE, style) + line;
      this.#place(x, y + index, cellsOfLine(transformers.reduce((shown, transform) => transform(shown, index), whole)));
      // A style may continue on the next line.
      if (line.includes('\u001B')) style = readCells(line, style).style;
    }
  }

  clip(clip: Clip): void {
    const outer = this.#clips.at(-1);
    this.#clips.push(
      outer === undefined
        ? clip
        : {
            x1: tighter(outer.x1, clip.x1, Math.max),
            x2: tighter(outer.x2, clip.x2, Math.min),
            y1: tighter(outer.y1, clip.y1, Math.max),
            y2: tighter(outer.y2, clip.y2, Math.min),
          },
    );
  }

  unclip(): void {
    this.#clips.pop();
  }

  get(): { readonly output: string; readonly height: number } {
    const rows: FrameRow[] = this.#rows.map((row) => frameRow(row, this.width));
    return { output: storeFrame(rows), height: this.height };
  }

  #place(x: number, y: number, cells: Row): void {
    const row = this.#rows[y];
    const clip = this.#clips.at(-1);
    if (row === undefined || y < (clip?.y1 ?? 0) || y >= (clip?.y2 ?? this.height)) return;
    const from = Math.max(0, x, clip?.x1 ?? 0);
    const to = Math.min(this.width, x + cells.texts.length, clip?.x2 ?? this.width);
    if (to > from) copyCells(cells, from - x, row, from, to - from);
  }
}
