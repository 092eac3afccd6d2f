// Rows over the middle of the screen.
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { fitLine, type Line } from '../../theme/lines.ts';
import { DrawingContext, Runs } from '../text.tsx';

interface FloatingProps {
  readonly lines: readonly Line[];
  /** Size of the rows. */
  readonly columns: number;
  /** Size of the area below. */
  readonly width: number;
  readonly height: number;
  /** First row; centred by default. */
  readonly top?: number;
}

/** Renders rows that cover the screen below. */
export function Floating({ lines, columns, width, height, top }: FloatingProps): ReactElement {
  // A screen reader reads the overlay only, not the screen beside it.
  const takesAll = use(DrawingContext) === 'words';
  const blank: Line = [];
  const shown = takesAll
    ? Array.from({ length: height }, (_, row) => fitLine(lines[row] ?? blank, width))
    : lines.slice(0, height);
  return (
    <Box
      position="absolute"
      marginLeft={takesAll ? 0 : Math.max(0, Math.floor((width - columns) / 2))}
      marginTop={takesAll ? 0 : (top ?? Math.max(0, Math.floor((height - shown.length) / 2)))}
      width={takesAll ? width : columns}
      height={shown.length}
      flexDirection="column"
    >
      {shown.map((line, row) => (
        <Runs key={row} runs={line} />
      ))}
    </Box>
  );
}
