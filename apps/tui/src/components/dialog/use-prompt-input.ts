// The input of a prompt: its text and caret, its history, and whether all of it is selected.
import { useState } from 'react';
import type { PromptDialog } from '../../context/dialog.ts';
import type { Commands } from '../../keys/use-commands.ts';
import { caretOf } from '../form/form-state.ts';
import { type Form, useForm } from '../form/use-form.ts';

/** Longest input, characters: that of a filter. */
const INPUT_MAX = 4096;

export interface PromptInput {
  readonly text: string;
  readonly caret: number;
  /** True while typing replaces all of the text. */
  readonly isSelected: boolean;
  readonly onText: (typed: string) => void;
  readonly replace: (text: string, caret?: number) => void;
  readonly commands: Form['editing'] & Pick<Commands<'prompt'>, 'older' | 'newer'>;
}

/** Wraps each command of an object. */
const mapCommands = (commands: Form['editing'], before: () => void): Form['editing'] =>
  Object.fromEntries(
    Object.entries(commands).map(([name, run]) => [
      name,
      (times: number) => {
        before();
        if (typeof run === 'function') run(times);
      },
    ]),
  );

/** Holds the input. Typing replaces a selected text; other keys edit it. */
export function usePromptInput({ initial, selects, history, onChange }: PromptDialog): PromptInput {
  const form = useForm(
    () => [{ kind: 'text', name: 'text', label: '', max: INPUT_MAX }],
    { text: initial },
    ({ text = '' }) => onChange?.(text),
  );
  const [isSelected, setSelected] = useState(selects === true && initial !== '');
  // 0 is the initial input; 1 and above are lines of the history, the newest first.
  const [back, setBack] = useState(0);
  const recall = (to: number): void => {
    if (to < 0 || to > history.length) return;
    const recalled = to === 0 ? initial : (history[history.length - to] ?? '');
    setBack(to);
    setSelected(selects === true && recalled !== '');
    form.set('text', recalled);
  };
  return {
    text: form.state.values['text'] ?? '',
    caret: caretOf(form.state, 'text'),
    isSelected,
    onText(typed) {
      if (isSelected) form.set('text', '');
      setSelected(false);
      form.onText(typed);
    },
    replace(text, caret) {
      setSelected(false);
      form.set('text', text, caret);
    },
    commands: {
      ...mapCommands(form.editing, () => setSelected(false)),
      older: history.length === 0 ? undefined : () => recall(back + 1),
      newer: back === 0 ? undefined : () => recall(back - 1),
    },
  };
}
