// Rows over the screen, in its middle.
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { fitLine, type Line } from '../../text/lines.ts';
import { DrawingContext, Runs } from '../text.tsx';

interface FloatingProps {
  readonly lines: readonly Line[];
  /** Of the rows. */
  readonly columns: number;
  /** Of the area that they lie over. */
  readonly width: number;
  readonly height: number;
  /** Row they begin at; in the middle by default. */
  readonly top?: number;
}

/** Rows that cover what is underneath. */
export function Floating({ lines, columns, width, height, top }: FloatingProps): ReactElement {
  // Whoever listens to the screen hears what is over it, and not also what is beside that.
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
