// One line of input in the row above the hints.
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { width as widthOf } from '../../text/width.ts';
import { textRuns } from '../form/form-lines.ts';
import { caretOf } from '../form/form-state.ts';
import { useForm } from '../form/use-form.ts';
import { Runs } from '../text.tsx';
import type { PromptDialog } from './dialog.ts';

interface PromptViewProps {
  readonly dialog: PromptDialog;
  readonly width: number;
}

/** Renders the prompt. */
export function PromptView({ dialog, width }: PromptViewProps): ReactElement {
  const { close } = useDashboard();
  const { label, history, complete, onChange, onSubmit, onCancel } = dialog;
  const form = useForm(
    () => [{ kind: 'text', name: 'text', label: '' }],
    { text: dialog.initial },
    ({ text = '' }) => onChange?.(text),
  );
  // 0 is the current input; 1 and above are lines of the history, the newest first.
  const [back, setBack] = useState(0);
  const text = form.state.values['text'] ?? '';
  const recall = (to: number): void => {
    if (to < 0 || to > history.length) return;
    setBack(to);
    form.set('text', to === 0 ? '' : (history[history.length - to] ?? ''));
  };
  useCommands(
    'prompt',
    {
      ...form.editing,
      submit() {
        close();
        onSubmit(text);
      },
      cancel() {
        close();
        onCancel?.();
      },
      complete:
        complete === undefined
          ? undefined
          : () => {
              const whole = complete(text);
              if (whole !== undefined) form.set('text', whole);
            },
      older: history.length === 0 ? undefined : () => recall(back + 1),
      newer: back === 0 ? undefined : () => recall(back - 1),
    },
    { onText: form.onText },
  );
  const note = dialog.note?.(text) ?? '';
  const room = width - 2 - widthOf(label) - 1;
  const noteRoom = widthOf(note) + 2 <= room / 2 ? widthOf(note) + 2 : 0;
  return (
    <Runs
      runs={[
        { text: ` ${label}`, tone: 'key' },
        ...textRuns(text, caretOf(form.state, 'text'), room - noteRoom),
        ...(noteRoom > 0 ? [{ text: `  ${note}`, tone: 'muted' as const }] : []),
      ]}
    />
  );
}
