// Dialog to choose one of several by typing: the palette, the help, the column to sort by.

import type { Choice, ChooseDialog } from '@quarterdeck/views/questions';
import { clean } from '@quarterdeck/views/text';
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { cut, fit, width as widthOf } from '../../text/width.ts';
import { BOX_EDGE } from '../../theme/box.ts';
import { fitLine, type Line } from '../../theme/lines.ts';
import { on } from '../../theme/theme.ts';
import { textRuns } from '../form/form-lines.ts';
import { caretOf } from '../form/form-state.ts';
import { useForm } from '../form/use-form.ts';
import { type Area, BODY_TOP } from '../geometry.ts';
import { type ChooseRow, chooseRows, matchChoices } from './choose-state.ts';
import { FloatingBox } from './floating.tsx';

interface ChooseViewProps extends Area {
  readonly dialog: ChooseDialog;
}

export function ChooseView({ dialog, ...area }: ChooseViewProps): ReactElement {
  const { width, height } = area;
  const { close } = useDashboard();
  const { choices, byLetter, actions = [], onTake, onExclude } = dialog;
  const form = useForm(() => [{ kind: 'text', name: 'text', label: '' }], { text: '' });
  const [mark, setMark] = useState({ of: '', at: dialog.at ?? 0 });
  const text = form.state.values['text'] ?? '';
  const shown = matchChoices(choices, text);
  const at = mark.of === text ? Math.max(0, Math.min(mark.at, shown.length - 1)) : 0;
  const run = (choice: Choice | undefined, act: (choice: Choice) => void): void => {
    if (choice === undefined) return;
    close();
    act(choice);
  };
  const take = (choice: Choice | undefined): void => run(choice, onTake);
  const to = (index: number): void => setMark({ of: text, at: Math.max(0, Math.min(index, shown.length - 1)) });
  const hasLeads = choices.some(({ lead }) => lead !== undefined);
  const page = Math.max(1, height - 6);
  const columns = Math.min(
    byLetter === true && !hasLeads ? Math.max(44, widthOf(dialog.note ?? '') + 6) : 78,
    width - 2,
  );
  const inner = columns - BOX_EDGE.columns;
  const rows = chooseRows(shown, text.trim() !== '');
  // Rows above the choices: the input and a line below it, then the edge of the box.
  const head = byLetter === true ? 0 : 2;
  const above = head + 1;
  const room = Math.max(1, height - BOX_EDGE.rows - head);
  const here = rows.findIndex((row) => 'index' in row && row.index === at);
  const from = Math.max(0, Math.min(here - Math.floor(room / 2), rows.length - room));
  const boxed = Math.min(room, rows.length - from) + head + BOX_EDGE.rows;
  const top = byLetter === true ? Math.max(0, Math.floor((height - boxed) / 2)) : 0;
  useCommands(
    'choose',
    {
      ...(byLetter === true ? {} : form.editing),
      take: shown.length === 0 ? undefined : () => take(shown[at]),
      exclude: onExclude === undefined || shown.length === 0 ? undefined : () => run(shown[at], onExclude),
      next: (times) => to(at + times),
      previous: (times) => to(at - times),
      pageDown: (times) => to(at + page * times),
      pageUp: (times) => to(at - page * times),
      close: () => close(),
    },
    {
      onText:
        byLetter === true
          ? (typed) => {
              const key = typed.slice(0, 1);
              const action = actions.find((one) => one.key === key);
              const choice = shown[at];
              if (action === undefined) take(choices.find(({ letter }) => letter === key.toLowerCase()));
              else if (choice !== undefined) action.run(choice, at);
            }
          : form.onText,
      onMouse(mouse) {
        if (mouse.kind === 'wheel') to(at + mouse.by);
        else {
          const line = mouse.row - BODY_TOP - top - above;
          const row = line >= 0 && line < room ? rows[from + line] : undefined;
          if (row !== undefined && 'choice' in row) take(row.choice);
        }
      },
    },
  );

  const leads = Math.min(22, Math.max(0, ...choices.map(({ lead = '' }) => widthOf(lead))));
  const content: Line[] = [
    ...(byLetter === true
      ? []
      : [
          [{ text: '› ', tone: 'accent' as const }, ...textRuns(text, caretOf(form.state, 'text'), inner - 2)],
          [{ text: '─'.repeat(inner), tone: 'faint' as const }],
        ]),
    ...rows.slice(from, from + room).map((row) => chooseLine(row, at, inner, leads)),
    ...(shown.length === 0 ? [[{ text: 'No match.', tone: 'muted' as const }]] : []),
  ];
  const note = byLetter === true ? (dialog.note ?? '') : `${shown.length} of ${choices.length}`;
  return <FloatingBox lines={content} title={dialog.title} note={note} columns={columns} top={top} {...area} />;
}

function chooseLine(row: ChooseRow, at: number, width: number, leads: number): Line {
  if ('heading' in row) return [{ text: row.heading, tone: 'strong' }];
  const { choice, index } = row;
  const ground = index === at ? ('selected' as const) : undefined;
  const note = cut(clean(choice.note ?? ''), Math.floor(width / 3));
  const lead = leads === 0 ? '' : `${fit(choice.lead ?? '', leads)}  `;
  const letter = choice.letter === undefined ? '' : `${choice.letter}  `;
  const room = width - 2 - widthOf(lead) - widthOf(letter) - widthOf(note) - 1;
  return fitLine(
    [
      { text: index === at ? '▌ ' : '  ', tone: on('accent', ground) },
      { text: lead + letter, tone: on('key', ground) },
      { text: `${fit(clean(choice.text), Math.max(1, room))} `, tone: on(choice.tone ?? 'plain', ground) },
      { text: note, tone: on('muted', ground) },
    ],
    width,
    on('plain', ground),
  );
}
