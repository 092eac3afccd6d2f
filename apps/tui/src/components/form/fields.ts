// Fields of forms. Pure.
import type { Field } from '@quarterdeck/views/questions';

type TextField = Extract<Field, { kind: 'text' }>;

export const textField = (name: string, label: string, max: number, hint: string): TextField => ({
  kind: 'text',
  name,
  label,
  max,
  hint,
});

/** A choice between values, each with itself as its label unless `labelOf` says otherwise. */
export const choiceField = <V extends string>(
  name: string,
  label: string,
  values: readonly V[],
  labelOf: (value: V) => string = (value) => value,
): Field => ({ kind: 'choice', name, label, options: values.map((value) => ({ value, label: labelOf(value) })) });
