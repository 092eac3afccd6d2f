// The form of a token: a name, and when it ends. Used for a new one and for changing one.
import { type ReactElement, useState } from 'react';
import type { Field } from '../../components/form/form-state.ts';
import { FormView } from '../../components/form/form-view.tsx';
import { useForm } from '../../components/form/use-form.ts';
import { Pane } from '../../components/pane.tsx';
import { Text } from '../../components/text.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import type { Mutation } from '../../data/use-mutation.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { EXPIRY_CHOICES, expiryText, readExpiry } from './expiry.ts';

/** Rows the form takes, with its title. */
export const FORM_ROWS = 8;

const NAME_MAX = 200;

/** What the form yields; `expire` undefined: as it is. */
export interface TokenInput {
  readonly name: string;
  readonly expire: number | undefined;
}

interface ApiTokenFormProps {
  readonly title: string;
  readonly submit: string;
  /** Of the token that is changed. */
  readonly current?: { readonly name: string; readonly expire: number } | undefined;
  readonly mutation: Mutation<TokenInput>;
  readonly width: number;
  readonly height: number;
  readonly onCancel: () => void;
}

function fieldsFor(values: Readonly<Record<string, string>>, current: ApiTokenFormProps['current']): readonly Field[] {
  const options = current === undefined ? EXPIRY_CHOICES : [{ value: 'keep', label: 'as it is' }, ...EXPIRY_CHOICES];
  return [
    { kind: 'text', name: 'name', label: 'Name', max: NAME_MAX, hint: 'what it is for' },
    { kind: 'choice', name: 'choice', label: 'Expires', options },
    ...(values['choice'] === 'date'
      ? [{ kind: 'text' as const, name: 'date', label: 'On', max: 10, hint: 'YYYY-MM-DD, at the end of that day' }]
      : []),
  ];
}

/** The form, docked below the list. */
export function ApiTokenForm(props: ApiTokenFormProps): ReactElement {
  const { title, submit, current, mutation, width, height, onCancel } = props;
  const { now } = useDashboard();
  const [problem, setProblem] = useState<{ readonly text: string; readonly of: unknown } | null>(null);
  const form = useForm((values) => fieldsFor(values, current), {
    name: current?.name ?? '',
    choice: current === undefined ? '90' : 'keep',
    date: '',
  });
  const { values } = form.state;
  const { name = '', choice = '', date = '' } = values;
  const nowMs = now();
  const expiry = readExpiry(choice, date, nowMs);

  const send = (): void => {
    if (name.trim() === '') {
      setProblem({ text: 'Give it a name, so that you know later what it is for.', of: values });
      form.focusOn('name');
      return;
    }
    if ('problem' in expiry) {
      setProblem({ text: expiry.problem, of: values });
      form.focusOn('date');
      return;
    }
    setProblem(null);
    mutation.run({ name: name.trim(), expire: expiry.expire });
  };
  useCommands('form', mutation.running ? {} : { submit: send, cancel: onCancel, ...form.commands }, {
    onText: mutation.running ? () => undefined : form.onText,
  });

  const expire = 'problem' in expiry ? undefined : (expiry.expire ?? current?.expire);
  const preview =
    expire === undefined ? ' ' : expire === 0 ? 'It never expires.' : `It expires ${expiryText(expire, nowMs)}.`;
  const refusal = mutation.failure;
  const wrong =
    // Until something else is entered.
    problem?.of === values
      ? problem.text
      : refusal === null
        ? null
        : (Object.values(refusal.fields)[0] ?? refusal.message);
  return (
    <Pane title={title} width={width} height={height}>
      <FormView fields={form.fields} state={form.state} width={width - 2} active={!mutation.running} />
      <Text> </Text>
      {wrong === null ? <Text tone="muted">{preview}</Text> : <Text tone="bad">{wrong}</Text>}
      <Text tone="muted">{mutation.running ? 'Sending…' : `Enter to ${submit}.`}</Text>
    </Pane>
  );
}
