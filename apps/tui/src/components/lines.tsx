// A block of rows from a pure function: the body of every screen. Replaces glyphs where the terminal cannot show them.
import { type ReactElement, use } from 'react';
import type { Line } from '../text/lines.ts';
import { Rows } from './rows.tsx';
import { DRAW, type Drawing, DrawingContext } from './text.tsx';

// Caches replaced lines as the same objects, so that they are not painted again.
const replacedLines = { ascii: new WeakMap<Line, Line>(), words: new WeakMap<Line, Line>() };

function replaceGlyphs(line: Line, drawing: Exclude<Drawing, 'glyphs'>): Line {
  const known = replacedLines[drawing].get(line);
  if (known !== undefined) return known;
  const replaced = line.map((run) => ({ ...run, text: DRAW[drawing](run.text) }));
  replacedLines[drawing].set(line, replaced);
  return replaced;
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

/** Renders rows. */
export function Lines({ lines, width, height }: LinesProps): ReactElement {
  const drawing = use(DrawingContext);
  const shown = drawing === 'glyphs' ? lines : lines.slice(0, height).map((line) => replaceGlyphs(line, drawing));
  return <Rows lines={shown} width={width} height={height} />;
}
