// Form over the screen, with the meaning of its values below.

import type { FormQuestion, Problem, Values } from '@quarterdeck/views/questions';
import type { Mutation } from '@quarterdeck/views/react';
import { clean } from '@quarterdeck/views/text';
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { FormDialog } from '../../context/dialog.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { wrap } from '../../text/width.ts';
import { BOX_EDGE } from '../../theme/box.ts';
import type { Line } from '../../theme/lines.ts';
import type { Tone } from '../../theme/theme.ts';
import { formLines } from '../form/form-lines.ts';
import { useForm } from '../form/use-form.ts';
import type { Area } from '../geometry.ts';
import { FloatingBox } from './floating.tsx';
import { useOutcome } from './use-outcome.ts';

interface FormDialogViewProps extends Area {
  readonly dialog: FormDialog;
}

export function FormDialogView({ dialog, ...area }: FormDialogViewProps): ReactElement {
  const { open, close } = useDashboard();
  const { back } = dialog;
  return (
    <FormView
      place="form"
      question={dialog}
      mutation={useOutcome(dialog.run)}
      cancel={back === undefined ? close : () => open(back())}
      cancelWord={back === undefined ? 'cancel' : 'go back'}
      {...area}
    />
  );
}

interface FormViewProps extends Area {
  /** The place of its keys. */
  readonly place: 'form' | 'confirmation';
  /** True if the form has the keys; the default. */
  readonly active?: boolean;
  readonly question: FormQuestion;
  readonly mutation: Mutation<Values>;
  readonly cancel: () => void;
  /** Word for the effect of Esc. */
  readonly cancelWord?: string;
}

export function FormView(props: FormViewProps): ReactElement {
  const { place, active = true, question, mutation, cancel, cancelWord = 'cancel', ...area } = props;
  const { width, height } = area;
  const { terminal, say, keyOf } = useDashboard();
  const form = useForm(question.fields, question.initial);
  const [problem, setProblem] = useState<{ readonly of: Values; readonly is: Problem } | null>(null);
  const { values } = form.state;
  const edit = (field: NonNullable<typeof form.text>): void => {
    void terminal?.edit(values[field.name] ?? '').then(({ text, problem: failed }) => {
      const max = field.max ?? Number.POSITIVE_INFINITY;
      if (failed !== null) say({ tone: 'warning', text: failed });
      else if (text.length > max)
        say({ tone: 'warning', text: `Too long: ${text.length} characters, at most ${max}.` });
      else form.set(field.name, text);
    });
  };
  const long = form.text?.long === true ? form.text : undefined;
  const send = (): void => {
    const found = question.check?.(values) ?? null;
    if (found === null) {
      mutation.run(values);
      return;
    }
    setProblem({ of: values, is: found });
    form.focusOn(found.field);
  };
  useCommands(
    place,
    mutation.running
      ? {}
      : {
          submit: send,
          cancel: () => cancel(),
          ...form.commands,
          editor: terminal === null || long === undefined ? undefined : () => edit(long),
        },
    {
      active,
      onText: mutation.running ? () => undefined : form.onText,
    },
  );

  const columns = Math.min(80, width - 2);
  const inner = columns - BOX_EDGE.columns;
  const wrapped = (text: string, tone: Tone): Line[] => wrap(clean(text), inner).map((row) => [{ text: row, tone }]);
  const refusal = mutation.failure;
  // Shown until the next input.
  const wrong =
    problem?.of === values
      ? problem.is.text
      : refusal === null
        ? undefined
        : (Object.values(refusal.fields)[0] ?? refusal.message);
  const below: Line[] =
    wrong === undefined
      ? (question.preview?.(values) ?? []).flatMap((line) => wrapped(line, 'muted'))
      : wrapped(wrong, 'bad');
  const rows = formLines(form.fields, form.state, inner, !mutation.running);
  // A long form scrolls with the focus.
  const room = Math.max(1, height - BOX_EDGE.rows - below.length - 1);
  const focused = form.fields.findIndex(({ name }) => name === form.state.focus);
  const from = Math.max(0, Math.min(focused - Math.floor(room / 2), rows.length - room));
  const content: Line[] = [...rows.slice(from, from + room), ...(rows.length === 0 ? [] : [[]]), ...below];
  const position = rows.length > room ? ` · ${focused + 1} of ${rows.length}` : '';
  const note = mutation.running
    ? 'Sending…'
    : `${keyOf('form.submit')} to ${question.submit} · ${keyOf('form.cancel')} to ${cancelWord}${position}`;
  return <FloatingBox lines={content} title={question.title} note={note} columns={columns} {...area} />;
}
