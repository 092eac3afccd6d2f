// Text over the screen.
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { TextDialog } from '../../context/dialog.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { BOX_EDGE, boxLines } from '../../theme/box.ts';
import { Floating } from './floating.tsx';

interface TextViewProps {
  readonly dialog: TextDialog;
  readonly width: number;
  readonly height: number;
}

export function TextView({ dialog, width, height }: TextViewProps): ReactElement {
  const { close, open, copy, say } = useDashboard();
  const [from, setFrom] = useState(0);
  const columns = Math.min(90, width - 4);
  const all = dialog.lines(columns - BOX_EDGE.columns);
  const rows = Math.max(1, height - BOX_EDGE.rows);
  const last = Math.max(0, all.length - rows);
  const at = Math.min(from, last);
  const { copy: text, next } = dialog;
  const scroll = (steps: number): void => setFrom(Math.max(0, Math.min(last, at + 3 * steps)));
  useCommands(
    'text',
    {
      scrollDown: last > 0 ? scroll : undefined,
      scrollUp: last > 0 ? (times) => scroll(-times) : undefined,
      copy:
        text === undefined
          ? undefined
          : () => {
              copy(text);
              say({ tone: 'good', text: 'Copied.' });
            },
      close: () => (next === undefined ? close() : open(next())),
    },
    { onMouse: (mouse) => (mouse.kind === 'wheel' ? scroll(mouse.by) : undefined) },
  );
  const shown = all.slice(at, at + rows);
  const note = last > 0 ? `${at + 1}–${at + shown.length} of ${all.length}` : '';
  return (
    <Floating
      lines={boxLines(shown, { title: dialog.title, width: columns, note })}
      columns={columns}
      width={width}
      height={height}
    />
  );
}
