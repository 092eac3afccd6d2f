// Rows of a table, a log or a chart. On a real terminal they go straight to the compositor, past Ink's layout and its
// cell grid; everywhere else they are ordinary text.
import { Box, type DOMElement, Text as InkText, measureElement, Transform } from 'ink';
import { createContext, type ReactElement, use, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Runs, ThemeContext } from '../components/text.tsx';
import type { Line } from '../text/lines.ts';
import type { Compositor } from './compositor.ts';
import { markText } from './frame.ts';
import { shownLine } from './line-cells.ts';

export type { Line } from '../text/lines.ts';

/** What {@link Rows} takes. */
export interface RowsProps {
  /** From the top; missing ones are blank, further ones are not shown. A line that stays the same object costs nothing. */
  readonly lines: readonly Line[];
  /** Columns of the region. A longer line is cut, a shorter one filled with blanks. */
  readonly width: number;
  /** Rows of the region. */
  readonly height: number;
}

/** Who paints the regions; null where they are ordinary text. */
export const CompositorContext = createContext<Compositor | null>(null);

/** A region of so many columns and rows. */
export function Rows(props: RowsProps): ReactElement {
  const compositor = use(CompositorContext);
  return compositor === null ? <PlainRows {...props} /> : <Painted {...props} compositor={compositor} />;
}

function PlainRows({ lines, width, height }: RowsProps): ReactElement {
  return (
    <Box width={width} height={height} flexShrink={0} flexDirection="column" overflow="hidden">
      {Array.from({ length: height }, (_, row) => (
        <Runs key={row} runs={shownLine(lines[row] ?? [], width)} />
      ))}
    </Box>
  );
}

function Painted({ lines, width, height, compositor }: RowsProps & { readonly compositor: Compositor }): ReactElement {
  const theme = use(ThemeContext);
  const box = useRef<DOMElement>(null);
  const [region] = useState(() =>
    compositor.open(() => (box.current === null ? { x: 0, y: 0 } : measureElement(box.current))),
  );
  useLayoutEffect(() => region.show({ lines, theme, width }));
  useLayoutEffect(() => () => region.close(), [region]);
  // The same elements as long as the size is the same, so that neither React nor Ink looks at them again. The mark comes
  // last, past Ink's search for control characters.
  const marks = useMemo(() => {
    const dots = '.'.repeat(width);
    const mark = (text: string): string => markText(region.slot, text);
    return Array.from({ length: height }, (_, row) => (
      <Transform key={row} transform={mark}>
        <InkText>{dots}</InkText>
      </Transform>
    ));
  }, [region, width, height]);
  return (
    <Box ref={box} width={width} height={height} flexShrink={0} flexDirection="column">
      {marks}
    </Box>
  );
}
