// Everything about the selected row, scrolled by itself while the selection moves on underneath.
import { type ReactElement, useState } from 'react';
import { useCommands } from '../keys/use-commands.ts';
import { fit, width as widthOf, wrap } from '../text/width.ts';
import type { Tone } from '../theme.ts';
import { Pane } from './pane.tsx';
import type { Split } from './split.ts';
import { type Run, Runs } from './text.tsx';

/** A labelled value. */
export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly tone?: Tone;
}

/** One row of the pane. */
export type Line = readonly Run[];

/** Facts as rows, labels in a column, long values wrapped under themselves. */
export function factLines(facts: readonly Fact[], width: number): Line[] {
  const labels = Math.max(0, ...facts.map(({ label }) => widthOf(label)));
  return facts.flatMap(({ label, value, tone }) =>
    wrap(value === '' ? '–' : value, Math.max(1, width - labels - 2)).map(
      (text, row): Line => [
        { text: `${fit(row === 0 ? label : '', labels)}  `, tone: 'muted' },
        { text, tone: value === '' ? 'muted' : tone },
      ],
    ),
  );
}

interface DetailPaneProps {
  /** Of the row; each is shown from its top. */
  readonly id: number;
  readonly title: string;
  readonly tone?: Tone;
  readonly split: Split;
  /** Rows of the pane, made for its inner width. */
  readonly lines: (width: number) => readonly Line[];
  readonly onMove: (delta: number) => void;
  readonly onClose: () => void;
}

/** A pane with the keys of the place `detail`. */
export function DetailPane({
  id,
  title,
  tone = 'strong',
  split,
  lines,
  onMove,
  onClose,
}: DetailPaneProps): ReactElement {
  const { side, pane } = split;
  const [scroll, setScroll] = useState({ id, from: 0 });
  const all = lines(pane.width - (side === 'beside' ? 3 : 2));
  const height = pane.height - 1;
  const last = Math.max(0, all.length - height);
  const from = scroll.id === id ? Math.min(scroll.from, last) : 0;
  const page = Math.max(1, height - 1);
  const scrollTo = (row: number): void => setScroll({ id, from: Math.max(0, Math.min(row, last)) });
  useCommands('detail', {
    next: (times) => onMove(times),
    previous: (times) => onMove(-times),
    scrollDown: last > 0 ? (times) => scrollTo(from + page * times) : undefined,
    scrollUp: last > 0 ? (times) => scrollTo(from - page * times) : undefined,
    close: () => onClose(),
  });
  const rows = all.slice(from, from + height);
  const where = last > 0 ? ` · ${from + 1}–${from + rows.length} of ${all.length}` : '';
  return (
    <Pane title={`${title}${where}`} tone={tone} width={pane.width} height={pane.height} side={side}>
      {rows.map((runs, row) => (
        <Runs key={row} runs={runs.length === 0 ? [{ text: ' ' }] : runs} />
      ))}
    </Pane>
  );
}
