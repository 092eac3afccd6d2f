// Something that is shown this once. It can be copied, and is forgotten when this closes.
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { BOX_EDGE, boxLines } from '../../text/box.ts';
import { clean } from '../../text/clean.ts';
import type { Line } from '../../text/lines.ts';
import { wrap } from '../../text/width.ts';
import type { SecretDialog } from './dialog.ts';
import { Floating } from './floating.tsx';

interface SecretViewProps {
  readonly dialog: SecretDialog;
  readonly width: number;
  readonly height: number;
}

/** The secret. */
export function SecretView({ dialog, width, height }: SecretViewProps): ReactElement {
  const { copy, close } = useDashboard();
  const [copied, setCopied] = useState(false);
  useCommands('secret', {
    copy() {
      copy(dialog.secret);
      setCopied(true);
    },
    close: () => close(),
  });
  const columns = Math.min(76, width - 2);
  const inner = columns - BOX_EDGE.columns;
  const wrapped = (text: string): Line[] => wrap(clean(text), inner).map((row) => [{ text: row }]);
  const content: Line[] = [
    ...dialog.lines.flatMap(wrapped),
    [],
    ...dialog.secret
      .split('\n')
      .flatMap((line) => wrap(clean(line), inner).map((row): Line => [{ text: row, tone: 'strong' }])),
    [],
    ...(copied
      ? [
          [{ text: '✓ Sent to the clipboard of your terminal.', tone: 'good' as const }],
          [
            {
              text: 'Nothing there? Your terminal does not allow it: select the text instead.',
              tone: 'muted' as const,
            },
          ],
        ]
      : [[{ text: 'y copies it. Esc closes this and forgets it.', tone: 'muted' as const }]]),
  ];
  return (
    <Floating
      lines={boxLines(content, { title: dialog.title, width: columns })}
      columns={columns}
      width={width}
      height={height}
    />
  );
}
