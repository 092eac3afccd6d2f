// State of a form: values of the fields, carets, focus. Pure.
import type { Field, Option } from '@quarterdeck/views/questions';

/** Index of the chosen option. A value that no option has stands for the first one. */
export const chosenIndex = (options: readonly Option[], value: string | undefined): number =>
  Math.max(
    0,
    options.findIndex((option) => option.value === value),
  );

/** State of a form. The value of a check is `yes` or empty. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  /** UTF-16 offset in each text; the end by default. */
  readonly carets: Readonly<Record<string, number>>;
  readonly focus: string;
}

/** Actions of the keys in a form. */
export type FormAction =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'move'; readonly by: number }
  | { readonly type: 'start' | 'end' | 'eraseWord' | 'eraseToStart' | 'eraseToEnd' }
  | { readonly type: 'erase' | 'eraseForward'; readonly times: number }
  | { readonly type: 'focus'; readonly by: number }
  | { readonly type: 'focusOn'; readonly name: string }
  | { readonly type: 'set'; readonly name: string; readonly value: string; readonly caret?: number | undefined };

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the caret of a field. */
export function caretOf(state: FormState, name: string): number {
  const length = state.values[name]?.length ?? 0;
  return Math.min(state.carets[name] ?? length, length);
}

/** Returns the grapheme boundary that is `by` graphemes away from `from`. */
function step(text: string, from: number, by: number): number {
  const boundaries = [...graphemes.segment(text)].map(({ index }) => index);
  boundaries.push(text.length);
  const here = boundaries.findLastIndex((boundary) => boundary <= from);
  return boundaries[Math.max(0, Math.min(here + by, boundaries.length - 1))] ?? text.length;
}

function withText(state: FormState, name: string, value: string, caret: number): FormState {
  return { ...state, values: { ...state.values, [name]: value }, carets: { ...state.carets, [name]: caret } };
}

function edit(state: FormState, field: Extract<Field, { kind: 'text' }>, action: FormAction): FormState {
  const { name } = field;
  const value = state.values[name] ?? '';
  const caret = caretOf(state, name);
  const cutOut = (from: number, to: number): FormState =>
    withText(state, name, value.slice(0, from) + value.slice(to), from);
  switch (action.type) {
    case 'text': {
      // Line breaks at the end of a paste, and other control characters.
      const added = action.text.replaceAll(/\p{Cc}/gu, '').toWellFormed();
      const next = value.slice(0, caret) + added + value.slice(caret);
      return next.length > (field.max ?? 1000) ? state : withText(state, name, next, caret + added.length);
    }
    case 'move':
      return withText(state, name, value, step(value, caret, action.by));
    case 'start':
      return withText(state, name, value, 0);
    case 'end':
      return withText(state, name, value, value.length);
    case 'erase':
      return cutOut(step(value, caret, -action.times), caret);
    case 'eraseForward':
      return cutOut(caret, step(value, caret, action.times));
    case 'eraseWord':
      return cutOut(value.slice(0, caret).replace(/\S*\s*$/, '').length, caret);
    case 'eraseToStart':
      return cutOut(0, caret);
    case 'eraseToEnd':
      return cutOut(caret, value.length);
    default:
      return state;
  }
}

const set = (state: FormState, name: string, value: string): FormState => ({
  ...state,
  values: { ...state.values, [name]: value },
});

/** Returns the state after an action on the focused field. */
export function formReducer(state: FormState, action: FormAction, fields: readonly Field[]): FormState {
  const index = Math.max(
    0,
    fields.findIndex(({ name }) => name === state.focus),
  );
  const field = fields[index];
  if (field === undefined) return state;
  if (action.type === 'set') return withText(state, action.name, action.value, action.caret ?? action.value.length);
  if (action.type === 'focusOn') return { ...state, focus: action.name };
  if (action.type === 'focus') {
    const next = fields[(((index + action.by) % fields.length) + fields.length) % fields.length];
    return { ...state, focus: next?.name ?? state.focus };
  }
  if (field.kind === 'text') return edit(state, field, action);
  if (field.kind === 'check') {
    const toggles = (action.type === 'text' && action.text.includes(' ')) || action.type === 'move';
    return toggles ? set(state, field.name, state.values[field.name] === 'yes' ? '' : 'yes') : state;
  }
  const by = action.type === 'move' ? action.by : action.type === 'text' && action.text === ' ' ? 1 : 0;
  if (by === 0) return state;
  const chosen = chosenIndex(field.options, state.values[field.name]);
  const next = field.options[Math.max(0, Math.min(chosen + by, field.options.length - 1))];
  return next === undefined ? state : set(state, field.name, next.value);
}
