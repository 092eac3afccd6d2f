// Shows a secret once. It can be copied, and is dropped when the dialog closes.

import type { SecretDialog } from '@quarterdeck/views/questions';
import { clean } from '@quarterdeck/views/text';
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { wrap } from '../../text/width.ts';
import { BOX_EDGE } from '../../theme/box.ts';
import type { Line } from '../../theme/lines.ts';
import type { Area } from '../geometry.ts';
import { FloatingBox } from './floating.tsx';

interface SecretViewProps extends Area {
  readonly dialog: SecretDialog;
}

export function SecretView({ dialog, ...area }: SecretViewProps): ReactElement {
  const { copy, close, keyOf } = useDashboard();
  const [copied, setCopied] = useState(false);
  const { secret, command, noun, commandNote = 'Run this as root on the host:' } = dialog;
  const copyText = (text: string) => (): void => {
    copy(text);
    setCopied(true);
  };
  useCommands('secret', {
    copy: copyText(secret),
    copyCommand: command === undefined ? undefined : copyText(command),
    close: () => close(),
  });
  const columns = Math.min(76, area.width - 2);
  const inner = columns - BOX_EDGE.columns;
  const wrapped = (text: string): Line[] => wrap(clean(text), inner).map((row) => [{ text: row }]);
  const muted = (text: string): Line[] => wrap(text, inner).map((row) => [{ text: row, tone: 'muted' }]);
  const copiesCommand = command === undefined ? '' : `, ${keyOf('secret.copyCommand')} the command line`;
  const strong = (text: string): Line[] =>
    text.split('\n').flatMap((line) => wrap(clean(line), inner).map((row): Line => [{ text: row, tone: 'strong' }]));
  const content: Line[] = [
    ...dialog.lines.flatMap(wrapped),
    [],
    ...strong(secret),
    [],
    ...(command === undefined ? [] : [...wrapped(commandNote), ...strong(command), []]),
    ...(copied ? [[{ text: '✓ Sent to the clipboard of your terminal.', tone: 'good' as const }]] : []),
    ...muted(
      copied
        ? 'If nothing arrives, your terminal does not allow it. Select the text instead.'
        : `${keyOf('secret.copy')} copies the ${noun}${copiesCommand}. ${keyOf('secret.close')} closes; the ${noun} cannot be shown again.`,
    ),
  ];
  return <FloatingBox lines={content} title={dialog.title} columns={columns} {...area} />;
}
