// Rows over the screen, in its middle.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Line } from '../../text/lines.ts';
import { Runs } from '../text.tsx';

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
  const shown = lines.slice(0, height);
  return (
    <Box
      position="absolute"
      marginLeft={Math.max(0, Math.floor((width - columns) / 2))}
      marginTop={top ?? Math.max(0, Math.floor((height - shown.length) / 2))}
      width={columns}
      height={shown.length}
      flexDirection="column"
    >
      {shown.map((line, row) => (
        <Runs key={row} runs={line} />
      ))}
    </Box>
  );
}
