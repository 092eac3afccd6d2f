// A block of rows that were made by a pure function: the body of every screen. Where glyphs are drawn in another way, they
// are exchanged here.
import { type ReactElement, use } from 'react';
import type { Line } from '../text/lines.ts';
import { Rows } from './rows.tsx';
import { DRAW, type Drawing, DrawingContext } from './text.tsx';

// What was exchanged once stays the same object, so that it need not be painted again.
const exchanged = { ascii: new WeakMap<Line, Line>(), words: new WeakMap<Line, Line>() };

function exchange(line: Line, drawing: Exclude<Drawing, 'glyphs'>): Line {
  const known = exchanged[drawing].get(line);
  if (known !== undefined) return known;
  const made = line.map((run) => ({ ...run, text: DRAW[drawing](run.text) }));
  exchanged[drawing].set(line, made);
  return made;
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

/** So many rows of so many columns. */
export function Lines({ lines, width, height }: LinesProps): ReactElement {
  const drawing = use(DrawingContext);
  const shown = drawing === 'glyphs' ? lines : lines.slice(0, height).map((line) => exchange(line, drawing));
  return <Rows lines={shown} width={width} height={height} />;
}
