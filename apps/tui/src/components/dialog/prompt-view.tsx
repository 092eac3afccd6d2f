// One line of input in the row above the hints, with completions and problems above it.

import { type Cycle, nextCompletion } from '@quarterdeck/views/filters';
import { useSuggestion } from '@quarterdeck/views/react';
import { Box } from 'ink';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { PromptDialog } from '../../context/dialog.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { width as widthOf } from '../../text/width.ts';
import { Runs } from '../text.tsx';
import { inputRuns, panelLines } from './prompt-lines.ts';
import { type PromptInput, usePromptInput } from './use-prompt-input.ts';

/** Returns a function that submits the text once it is checked; a text with a problem stays. */
function useSubmit({ check, prepare, onSubmit }: PromptDialog, text: string): () => void {
  const { close } = useDashboard();
  const [, setPrepared] = useState(0);
  const isOpen = useRef(true);
  // Checks again with what has been loaded.
  useEffect(() => {
    void prepare?.(text)?.then(() => setPrepared((n) => n + 1));
  }, [prepare, text]);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  const finish = (): void => {
    if (!isOpen.current || (check?.(text) ?? null) !== null) return;
    close();
    onSubmit(text);
  };
  return () => {
    const pending = prepare?.(text);
    if (pending === undefined) finish();
    else void pending.then(finish);
  };
}

/** The completions of the input, and the steps of Tab through them. */
function useCompletions({ complete, suggest }: PromptDialog, input: PromptInput) {
  const { text, caret, isSelected, replace } = input;
  const [cycle, setCycle] = useState<Cycle | null>(null);
  const suggestion = useSuggestion(isSelected ? undefined : suggest, text.slice(0, caret));
  const present = cycle?.text === text ? cycle : null;
  const step = (by: 1 | -1) => (): void => {
    const next = nextCompletion(input, suggestion, cycle, by);
    if (next === null) return;
    setCycle(next.cycle);
    replace(next.text, next.caret);
  };
  const completeWord = (): void => {
    const whole = complete?.(text);
    if (whole !== undefined) replace(whole);
  };
  return {
    completions: (present?.suggestion ?? (suggestion?.isQuiet === true ? null : suggestion))?.completions ?? [],
    chosen: present?.index ?? null,
    complete: suggest === undefined ? complete && completeWord : step(1),
    completeBack: suggest && step(-1),
  };
}

interface PromptViewProps {
  readonly dialog: PromptDialog;
  readonly width: number;
  /** Rows above the input that completions and problems may cover. */
  readonly above: number;
}

export function PromptView({ dialog, width, above }: PromptViewProps): ReactElement {
  const { close, open } = useDashboard();
  const { label, check, help, onCancel } = dialog;
  const input = usePromptInput(dialog);
  const { text, caret, isSelected } = input;
  const { completions, chosen, complete, completeBack } = useCompletions(dialog, input);
  const submit = useSubmit(dialog, text);
  useCommands(
    'prompt',
    {
      ...input.commands,
      submit,
      cancel() {
        close();
        onCancel?.();
      },
      complete,
      completeBack,
      help: help && (() => open(help({ ...dialog, initial: text }))),
    },
    { onText: input.onText },
  );
  const note = dialog.note?.(text) ?? '';
  const room = width - 2 - widthOf(label) - 1;
  const noteRoom = widthOf(note) + 2 <= room / 2 ? widthOf(note) + 2 : 0;
  const panel = panelLines(check?.(text) ?? null, completions, chosen, width).slice(-above);
  return (
    <>
      <Runs
        runs={[
          { text: ` ${label}`, tone: 'key' },
          ...inputRuns(text, caret, room - noteRoom, isSelected),
          ...(noteRoom > 0 ? [{ text: `  ${note}`, tone: 'muted' as const }] : []),
        ]}
      />
      <Box position="absolute" marginTop={-panel.length} width={width} height={panel.length} flexDirection="column">
        {panel.map((line, row) => (
          <Runs key={row} runs={line} />
        ))}
      </Box>
    </>
  );
}
