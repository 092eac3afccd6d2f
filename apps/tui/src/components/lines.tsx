// A block of rows from a pure function: the body of every screen. Replaces glyphs where the terminal cannot show them.

import { clean } from '@quarterdeck/views/text';
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { CompositorContext, PaintedRows, shownLine } from '../terminal/ink.ts';
import { fitLine, type Line } from '../theme/lines.ts';
import type { Area } from './geometry.ts';
import { DRAW, type Drawing, DrawingContext, Runs, ThemeContext } from './text.tsx';

export interface RowsProps {
  /** Lines from the top of the region. Missing lines are blank. An unchanged object is not painted again. */
  readonly lines: readonly Line[];
  /** Columns of the region. A longer line is cut, a shorter one is filled with blanks. */
  readonly width: number;
  /** Rows of the region. */
  readonly height: number;
}

/** Shows lines in a region of `width` by `height` cells. */
export function Rows({ lines, width, height }: RowsProps): ReactElement {
  const compositor = use(CompositorContext);
  const theme = use(ThemeContext);
  if (compositor !== null) {
    return <PaintedRows lines={lines} width={width} height={height} looks={theme} compositor={compositor} />;
  }
  return (
    <Box width={width} height={height} flexShrink={0} flexDirection="column" overflow="hidden">
      {Array.from({ length: height }, (_, row) => (
        <Runs key={row} runs={shownLine(lines[row] ?? [], width)} />
      ))}
    </Box>
  );
}

interface Replaced {
  readonly width: number;
  readonly line: Line;
}

// Caches replaced lines as the same objects, so that they are not painted again.
const replacedLines = { ascii: new WeakMap<Line, Replaced>(), words: new WeakMap<Line, Replaced>() };

/** Replaces the glyphs of a line, and the mark of the cut of one that is too long. */
function replaceGlyphs(line: Line, width: number, drawing: Exclude<Drawing, 'glyphs'>): Line {
  const known = replacedLines[drawing].get(line);
  if (known?.width === width) return known.line;
  const shown = fitLine(
    line.map((run) => ({ ...run, text: clean(run.text) })),
    width,
  );
  const replaced = shown.map((run) => ({ ...run, text: DRAW[drawing](run.text) }));
  replacedLines[drawing].set(line, { width, line: replaced });
  return replaced;
}

interface LinesProps extends Area {
  readonly lines: readonly Line[];
}

export function Lines({ lines, width, height }: LinesProps): ReactElement {
  const drawing = use(DrawingContext);
  const shown =
    drawing === 'glyphs' ? lines : lines.slice(0, height).map((line) => replaceGlyphs(line, width, drawing));
  return <Rows lines={shown} width={width} height={height} />;
}
