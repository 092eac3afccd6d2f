// A block of rows that were made by a pure function: the body of every screen. In ASCII mode its glyphs are exchanged here.
import { type ReactElement, use } from 'react';
import { Rows } from '../terminal/rows.tsx';
import { ascii } from '../text/ascii.ts';
import type { Line } from '../text/lines.ts';
import { AsciiContext } from './text.tsx';

// What was exchanged once stays the same object, so that it need not be painted again.
const exchanged = new WeakMap<Line, Line>();

function inAscii(line: Line): Line {
  const known = exchanged.get(line);
  if (known !== undefined) return known;
  const made = line.map((run) => ({ ...run, text: ascii(run.text) }));
  exchanged.set(line, made);
  return made;
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

/** So many rows of so many columns. */
export function Lines({ lines, width, height }: LinesProps): ReactElement {
  const isAscii = use(AsciiContext);
  return <Rows lines={isAscii ? lines.slice(0, height).map(inAscii) : lines} width={width} height={height} />;
}
