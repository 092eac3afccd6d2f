// Rows of a table, a log or a chart. On a real terminal they go straight to the compositor, past Ink's layout and its
// cell grid; everywhere else they are ordinary text.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { type Run, Runs } from '../components/text.tsx';

/** One row: pieces of text, each in one tone. */
export type Line = readonly Run[];

/** What {@link Rows} takes. */
export interface RowsProps {
  /** From the top; missing ones are blank, further ones are not shown. A line that stays the same object costs nothing. */
  readonly lines: readonly Line[];
  /** Columns of the region. A longer line is cut, a shorter one filled with blanks. */
  readonly width: number;
  /** Rows of the region. */
  readonly height: number;
}

/** A region of so many columns and rows. */
export function Rows({ lines, width, height }: RowsProps): ReactElement {
  return (
    <Box width={width} height={height} flexShrink={0} flexDirection="column" overflow="hidden">
      {lines.slice(0, height).map((line, row) => (
        <Runs key={row} runs={line.length === 0 ? BLANK : line} />
      ))}
    </Box>
  );
}

// Ink gives a text without characters no row at all.
const BLANK: Line = [{ text: ' ' }];
