// Text over the screen.
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { TextDialog } from '../../context/dialog.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { BOX_EDGE } from '../../theme/box.ts';
import type { Area } from '../geometry.ts';
import { FloatingBox } from './floating.tsx';

interface TextViewProps extends Area {
  readonly dialog: TextDialog;
}

export function TextView({ dialog, ...area }: TextViewProps): ReactElement {
  const { width, height } = area;
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
  return <FloatingBox lines={shown} title={dialog.title} note={note} columns={columns} {...area} />;
}
