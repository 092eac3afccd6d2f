// State of a form and its commands.

import type { Field } from '@quarterdeck/views/questions';
import { useEffect, useEffectEvent, useReducer } from 'react';
import type { Commands } from '../../keys/use-commands.ts';
import { type FormAction, type FormState, formReducer } from './form-state.ts';

export interface Form {
  readonly state: FormState;
  readonly fields: readonly Field[];
  /** Commands of the scope `fields`. */
  readonly commands: Omit<Commands<'form'>, 'submit' | 'cancel'>;
  /** Commands that edit the focused field; for forms of one field. */
  readonly editing: Omit<Form['commands'], 'nextField' | 'previousField'>;
  /** The focused text field; undefined if another kind of field has the focus. */
  readonly text: Extract<Field, { kind: 'text' }> | undefined;
  readonly onText: (text: string) => void;
  readonly focusOn: (name: string) => void;
  /** Sets a value; the caret goes to its end by default. */
  readonly set: (name: string, value: string, caret?: number) => void;
}

type Step = { readonly action: FormAction; readonly fields: readonly Field[] };

/**
 * Holds the state of a form. The fields may depend on the values. `onChange` is called after every change of the
 * values.
 */
export function useForm(
  fieldsFor: (values: Readonly<Record<string, string>>) => readonly Field[],
  initial: Readonly<Record<string, string>>,
  onChange?: (values: Readonly<Record<string, string>>) => void,
): Form {
  const [state, dispatch] = useReducer(
    (previous: FormState, { action, fields }: Step) => formReducer(previous, action, fields),
    initial,
    (values): FormState => ({ values, carets: {}, focus: fieldsFor(values)[0]?.name ?? '' }),
  );
  const { values } = state;
  const changed = useEffectEvent(() => {
    if (values !== initial) onChange?.(values);
  });
  // The initial values are not a change.
  useEffect(() => changed(), [values]);
  const fields = fieldsFor(state.values);
  const focused = fields.find(({ name }) => name === state.focus);
  const act = (action: FormAction): void => dispatch({ action, fields });
  const editing: Form['editing'] = {
    left: (times) => act({ type: 'move', by: -times }),
    right: (times) => act({ type: 'move', by: times }),
    start: () => act({ type: 'start' }),
    end: () => act({ type: 'end' }),
    erase: (times) => act({ type: 'erase', times }),
    eraseForward: (times) => act({ type: 'eraseForward', times }),
    eraseWord: () => act({ type: 'eraseWord' }),
    eraseToStart: () => act({ type: 'eraseToStart' }),
    eraseToEnd: () => act({ type: 'eraseToEnd' }),
  };
  return {
    state,
    fields,
    text: focused?.kind === 'text' ? focused : undefined,
    commands: {
      nextField: (times) => act({ type: 'focus', by: times }),
      previousField: (times) => act({ type: 'focus', by: -times }),
      ...editing,
    },
    editing,
    onText: (text) => act({ type: 'text', text }),
    focusOn: (name) => act({ type: 'focusOn', name }),
    set: (name, value, caret) => act({ type: 'set', name, value, caret }),
  };
}
