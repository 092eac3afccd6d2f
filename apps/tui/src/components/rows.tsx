// Rows of a table, a log or a chart. On a real terminal the compositor paints them; in tests they are ordinary text.
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { CompositorContext, PaintedRows, shownLine } from '../terminal/ink.ts';
import type { Line } from '../theme/lines.ts';
import { Runs, ThemeContext } from './text.tsx';

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
