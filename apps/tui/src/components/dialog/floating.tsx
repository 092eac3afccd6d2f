// Rows over the middle of the screen.
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { boxLines } from '../../theme/box.ts';
import { fitLine, type Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';
import type { Area } from '../geometry.ts';
import { DrawingContext, Runs } from '../text.tsx';

interface FloatingProps extends Area {
  readonly lines: readonly Line[];
  /** Width of the rows. */
  readonly columns: number;
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

interface FloatingBoxProps extends FloatingProps {
  readonly title: string;
  /** Tone of the title. */
  readonly tone?: BaseTone;
  /** Text in the lower edge. */
  readonly note?: string;
}

/** Renders rows in a frame of `columns`. */
export function FloatingBox({ lines, title, tone = 'title', note = '', ...place }: FloatingBoxProps): ReactElement {
  return <Floating lines={boxLines(lines, { title, tone, note, width: place.columns })} {...place} />;
}
