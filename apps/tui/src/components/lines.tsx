// A block of rows from a pure function: the body of every screen. Replaces glyphs where the terminal cannot show them.
import { type ReactElement, use } from 'react';
import type { Line } from '../text/lines.ts';
import { Rows } from './rows.tsx';
import { DRAW, type Drawing, DrawingContext } from './text.tsx';

// Caches replaced lines as the same objects, so that they are not painted again.
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

/** Renders rows. */
export function Lines({ lines, width, height }: LinesProps): ReactElement {
  const drawing = use(DrawingContext);
  const shown = drawing === 'glyphs' ? lines : lines.slice(0, height).map((line) => exchange(line, drawing));
  return <Rows lines={shown} width={width} height={height} />;
}
