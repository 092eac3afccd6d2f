// Merges Ink's frame and the regions into rows. A row with unchanged inputs is not built again.
import type { Line } from '../text/runs.ts';
import { Frame, type FrameRow, SLOTS_MAX } from './frame.ts';
import { cellsOf } from './line-cells.ts';
import type { Looks } from './look.ts';
import { blankRow, copyCells, type Row } from './row.ts';
import { blendBackground, DEFAULT_STYLE } from './style.ts';

/** Position and content of a region. */
export interface RegionContent {
  readonly lines: readonly Line[];
  readonly looks: Looks;
  readonly width: number;
}

/** A region of the screen that the compositor paints past Ink. */
export interface Region {
  /** Number of the region's marks in Ink's frame. */
  readonly slot: number;
  /** Replaces the content at the next paint. */
  readonly show: (content: RegionContent) => void;
  readonly close: () => void;
}

interface Place {
  content: RegionContent | null;
  readonly position: () => { readonly x: number; readonly y: number };
}

/** The content of one terminal. */
export class Composer {
  readonly #frame = new Frame();
  readonly #regions = new Map<number, Place>();
  /** The last rows and the inputs they were built from. */
  readonly #composed: { readonly inputs: readonly unknown[]; readonly row: Row }[] = [];

  /** Opens a region. `position` returns its first cell. */
  open(position: Place['position'], changed: () => void): Region {
    let slot = 0;
    while (this.#regions.has(slot)) slot += 1;
    if (slot >= SLOTS_MAX) throw new Error('too many regions');
    const place: Place = { content: null, position };
    this.#regions.set(slot, place);
    return {
      slot,
      show: (content) => {
        place.content = content;
        changed();
      },
      close: () => {
        if (this.#regions.get(slot) === place) this.#regions.delete(slot);
        changed();
      },
    };
  }

  /** Reads a frame of Ink. */
  read(frame: string, columns: number): void {
    this.#frame.read(frame, columns);
  }

  /** Builds the rows of the screen. A row that looks unchanged is the same object as before. */
  compose(columns: number, rows: number, shown: readonly (Row | null)[]): Row[] {
    const places = new Map<number, { x: number; y: number }>();
    return Array.from({ length: rows }, (_, y) => {
      const drawn = this.#frame.row(y);
      if (drawn === undefined) return blankRow(columns);
      const inputs = [columns, drawn, ...this.#parts(drawn, y, places)];
      const known = this.#composed[y];
      if (known?.inputs.length === inputs.length && inputs.every((part, at) => part === known.inputs[at])) {
        return known.row;
      }
      const composed = this.#composeRow(drawn, y, columns, places);
      const before = shown[y];
      const row = before !== null && before !== undefined && sameRow(before, composed) ? before : composed;
      this.#composed[y] = { inputs, row };
      return row;
    });
  }

  /** Lists the inputs of a row that come from regions. */
  #parts({ marks }: FrameRow, y: number, places: Map<number, { x: number; y: number }>): readonly unknown[] {
    return marks.flatMap(({ slot }) => {
      const place = this.#regions.get(slot);
      if (place?.content === null || place === undefined) return [null];
      const at = this.#placeOf(slot, place, places);
      const { lines, looks, width } = place.content;
      return [lines[y - at.y], looks, width, at.x];
    });
  }

  #placeOf(slot: number, place: Place, places: Map<number, { x: number; y: number }>): { x: number; y: number } {
    const known = places.get(slot);
    if (known !== undefined) return known;
    const at = place.position();
    places.set(slot, at);
    return at;
  }

  #composeRow(
    { row, marks }: FrameRow,
    y: number,
    columns: number,
    places: Map<number, { x: number; y: number }>,
  ): Row {
    if (row.texts.length === columns && marks.length === 0) return row;
    const result = blankRow(columns);
    copyCells(row, 0, result, 0, Math.min(columns, row.texts.length));
    for (const { column, count, slot, ground } of marks) {
      const place = this.#regions.get(slot);
      if (place?.content === null || place === undefined || column >= columns) continue;
      const at = this.#placeOf(slot, place, places);
      const { lines, looks, width } = place.content;
      const line = lines[y - at.y];
      const shown = Math.min(count, columns - column);
      if (line !== undefined) copyCells(cellsOf(line, width, looks), column - at.x, result, column, shown);
      if (ground === DEFAULT_STYLE) continue;
      for (let index = column; index < column + shown; index += 1) {
        result.styles[index] = blendBackground(result.styles[index] ?? DEFAULT_STYLE, ground);
      }
    }
    return result;
  }
}

function sameRow(a: Row, b: Row): boolean {
  if (a === b) return true;
  const { length } = b.texts;
  if (a.texts.length !== length) return false;
  for (let column = 0; column < length; column += 1) {
    if (a.texts[column] !== b.texts[column] || a.styles[column] !== b.styles[column]) return false;
  }
  return true;
}
