// A region of the screen whose lines the compositor paints, past Ink's layout and its cell grid. Ink draws marks there.
import { Box, type DOMElement, measureElement, Text, Transform } from 'ink';
import { createContext, type ReactElement, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Line } from '../text/runs.ts';
import type { Compositor } from './compositor.ts';
import { markText } from './frame.ts';
import type { Looks } from './look.ts';

export interface PaintedRowsProps {
  /** Lines from the top of the region. Missing lines are blank. An unchanged object is not painted again. */
  readonly lines: readonly Line[];
  /** Columns of the region. A longer line is cut, a shorter one is filled with blanks. */
  readonly width: number;
  /** Rows of the region. */
  readonly height: number;
  readonly looks: Looks;
  readonly compositor: Compositor;
}

/** Compositor of the terminal; null where components draw ordinary text, as in tests. */
export const CompositorContext = createContext<Compositor | null>(null);

/** Shows lines in a region of `width` by `height` cells. */
export function PaintedRows({ lines, width, height, looks, compositor }: PaintedRowsProps): ReactElement {
  const box = useRef<DOMElement>(null);
  const [region] = useState(() =>
    compositor.open(() => (box.current === null ? { x: 0, y: 0 } : measureElement(box.current))),
  );
  useLayoutEffect(() => region.show({ lines, looks, width }));
  useLayoutEffect(() => () => region.close(), [region]);
  // The elements stay the same while the size does, so that React and Ink skip them. The transform runs after Ink's
  // search for control characters, which would drop the mark.
  const marks = useMemo(() => {
    const dots = '.'.repeat(width);
    const mark = (text: string): string => markText(region.slot, text);
    return Array.from({ length: height }, (_, row) => (
      <Transform key={row} transform={mark}>
        <Text>{dots}</Text>
      </Transform>
    ));
  }, [region, width, height]);
  return (
    <Box ref={box} width={width} height={height} flexShrink={0} flexDirection="column">
      {marks}
    </Box>
  );
}
