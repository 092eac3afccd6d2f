// A question before something that cannot be undone. The answer that is marked is No.
import { type ReactElement, useState } from 'react';
import type { Failure } from '../data/failure.ts';
import { useCommands } from '../keys/use-commands.ts';
import { wrap } from '../text/width.ts';
import { Pane } from './pane.tsx';
import { Runs, Text } from './text.tsx';

/** Rows the question takes, with its title. */
export const CONFIRM_ROWS = 8;

interface ConfirmProps {
  readonly title: string;
  /** What will happen, naming what it happens to. */
  readonly lines: readonly string[];
  /** A reason to think again. */
  readonly warning?: string | undefined;
  /** The dangerous answer in words. */
  readonly yes: string;
  readonly running: boolean;
  readonly failure: Failure | null;
  readonly width: number;
  readonly height: number;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** The question, docked below the list. */
export function Confirm(props: ConfirmProps): ReactElement {
  const { title, lines, warning, yes, running, failure, width, height, onYes, onNo } = props;
  const [isYes, setYes] = useState(false);
  useCommands(
    'confirm',
    running
      ? {}
      : {
          choose: () => (isYes ? onYes() : onNo()),
          toggle: () => setYes((marked) => !marked),
          no: () => onNo(),
          yes: () => onYes(),
        },
  );
  const answer = (text: string, marked: boolean): { text: string; tone: 'selected' | 'muted' } =>
    marked ? { text: `› ${text} `, tone: 'selected' } : { text: `  ${text} `, tone: 'muted' };
  return (
    <Pane title={title} tone="bad" width={width} height={height}>
      {lines
        .flatMap((line) => wrap(line, width - 2))
        .map((row) => (
          <Text key={row}>{row}</Text>
        ))}
      {warning !== undefined && <Text tone="warning">{`! ${warning}`}</Text>}
      <Text> </Text>
      {running ? (
        <Text tone="muted">Working…</Text>
      ) : (
        <Runs runs={[answer('No', !isYes), { text: '   ' }, answer(yes, isYes)]} />
      )}
      {failure !== null && <Text tone="bad">{failure.message}</Text>}
    </Pane>
  );
}
