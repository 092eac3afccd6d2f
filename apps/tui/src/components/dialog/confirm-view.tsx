// Question before an action that cannot be undone. The default is No. In a protected profile, the user types the name
// of the object.

import { groupCounts } from '@quarterdeck/views/questions';
import { clean } from '@quarterdeck/views/text';
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { ConfirmDialog } from '../../context/dialog.ts';
import { useCommands } from '../../keys/use-commands.ts';
import type { Mouse } from '../../terminal/index.ts';
import { wrap } from '../../text/width.ts';
import { BOX_EDGE } from '../../theme/box.ts';
import type { Line, Run } from '../../theme/lines.ts';
import { textRuns } from '../form/form-lines.ts';
import { caretOf } from '../form/form-state.ts';
import { useForm } from '../form/use-form.ts';
import type { Area } from '../geometry.ts';
import { FloatingBox } from './floating.tsx';
import { groupLines } from './group-lines.ts';
import { useOutcome } from './use-outcome.ts';

/** Maximum number of lines of a question; further ones are counted. */
const LINES_MAX = 12;
/** Rows of a page of objects. */
const PAGE = 3;

interface ConfirmViewProps extends Area {
  readonly dialog: ConfirmDialog;
}

export function ConfirmView({ dialog, ...area }: ConfirmViewProps): ReactElement {
  const { width, height } = area;
  const { close, keyOf } = useDashboard();
  const { title, lines, groups = [], warning, yes, typed } = dialog;
  const [isYes, setYes] = useState(false);
  const [from, setFrom] = useState(0);
  const form = useForm(() => [{ kind: 'text', name: 'typed', label: '' }], { typed: '' });
  const mutation = useOutcome(dialog.run);
  const idle = !mutation.running;
  const entered = form.state.values['typed'] ?? '';
  const fits = typed === undefined || entered.trim() === typed;
  const isTyped = typed !== undefined;
  const columns = Math.min(76, width - 4);
  const inner = columns - BOX_EDGE.columns;
  const wrapped = (text: string, tone?: Run['tone']): Line[] =>
    wrap(clean(text), inner).map((row): Line => [{ text: row, tone }]);
  const shownLines =
    lines.length > LINES_MAX ? [...lines.slice(0, LINES_MAX - 1), `and ${lines.length - LINES_MAX + 1} more`] : lines;
  const answer = (text: string, marked: boolean): Run =>
    marked ? { text: ` › ${text} `, tone: 'selected' } : { text: `   ${text} `, tone: 'muted' };
  const ask: Line[] = mutation.running
    ? [[{ text: 'Working…', tone: 'muted' }]]
    : isTyped
      ? [
          ...wrapped(
            `This profile is protected. Type ${typed} and press ${keyOf('form.submit')} to ${yes.toLowerCase()}; ${keyOf('form.cancel')} cancels.`,
            'muted',
          ),
          [
            { text: '› ', tone: 'accent' },
            ...textRuns(entered, caretOf(form.state, 'typed'), Math.min(40, inner - 4)),
            { text: fits ? ' ✓' : '', tone: 'good' },
          ],
        ]
      : [[answer('No', !isYes), { text: '  ' }, answer(yes, isYes)]];
  const head: Line[] = [
    ...shownLines.flatMap((line) => wrapped(line)),
    ...(groups.length === 0 ? [] : [...wrapped(`${groupCounts(groups)}:`, 'strong'), []]),
  ];
  const foot: Line[] = [
    ...(warning === undefined ? [] : wrapped(`▲ ${warning}`, 'warning')),
    [],
    ...ask,
    ...(mutation.failure === null ? [] : wrapped(mutation.failure.message, 'bad')),
  ];
  const objects = groupLines(groups, inner);
  const room = Math.max(1, height - BOX_EDGE.rows - head.length - foot.length);
  const last = Math.max(0, objects.length - room);
  const at = Math.min(from, last);
  const scroll = (steps: number): void => setFrom(Math.max(0, Math.min(last, at + PAGE * steps)));
  const scrolling = last === 0 ? {} : { scrollDown: scroll, scrollUp: (times: number) => scroll(-times) };
  const onMouse = (mouse: Mouse): void => (mouse.kind === 'wheel' ? scroll(mouse.by) : undefined);
  useCommands(
    'typedConfirm',
    idle
      ? {
          ...form.editing,
          ...scrolling,
          submit: fits ? () => mutation.run(undefined) : undefined,
          cancel: () => close(),
        }
      : {},
    { active: isTyped, onText: idle ? form.onText : () => undefined, onMouse },
  );
  useCommands(
    'confirm',
    idle
      ? {
          ...scrolling,
          choose: () => (isYes ? mutation.run(undefined) : close()),
          toggle: () => setYes((marked) => !marked),
          no: () => close(),
          yes: () => mutation.run(undefined),
        }
      : {},
    { active: !isTyped, onMouse },
  );

  const note = last === 0 ? '' : `${at + 1}–${at + room} of ${objects.length}`;
  const content = [...head, ...objects.slice(at, at + room), ...foot];
  return <FloatingBox lines={content} title={title} tone="bad" note={note} columns={columns} {...area} />;
}
