// Rows of a form: one for each field, labels in a column, the caret in the focused field. Pure.

import type { Field } from '@quarterdeck/views/questions';
import { clean } from '@quarterdeck/views/text';
import { fit, width as widthOf } from '../../text/width.ts';
import type { Line, Run } from '../../theme/lines.ts';
import { caretOf, chosenIndex, type FormState } from './form-state.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const MASK = '•';
/** Maximum width of a field, in columns. */
const FIELD_MAX = 60;

const mask = (text: string): string => MASK.repeat([...graphemes.segment(text)].length);

/** Returns the longest end of the text that fits. */
function tail(text: string, columns: number): string {
  const parts = [...graphemes.segment(text)].map(({ segment }) => segment);
  let room = columns;
  let from = parts.length;
  for (; from > 0; from -= 1) {
    room -= widthOf(parts[from - 1] ?? '');
    if (room < 0) break;
  }
  return parts.slice(from).join('');
}

/** Renders the content of a text field in exactly `columns`, scrolled to the caret. */
export function textRuns(value: string, caret: number | null, columns: number, masked = false): Run[] {
  const show = masked ? mask : clean;
  if (caret === null) return [{ text: fit(show(value), columns) }];
  const under = [...graphemes.segment(value.slice(caret))][0]?.segment ?? '';
  const before = tail(show(value.slice(0, caret)), Math.max(0, columns - 2));
  const at = under === '' ? ' ' : show(under) || ' ';
  const room = columns - widthOf(before) - widthOf(at);
  return [{ text: before }, { text: at, tone: 'caret' }, { text: fit(show(value.slice(caret + under.length)), room) }];
}

function contentRuns(field: Field, state: FormState, focused: boolean, columns: number): Run[] {
  const value = state.values[field.name] ?? '';
  if (field.kind === 'check') {
    return [{ text: value === 'yes' ? '[x] ' : '[ ] ', tone: focused ? 'accent' : 'plain' }, { text: field.text }];
  }
  if (field.kind === 'choice') {
    const chosen = chosenIndex(field.options, value);
    const all = field.options.map(
      ({ label }, index): Run =>
        index === chosen
          ? { text: `[${label}]`, tone: focused ? 'title' : 'strong' }
          : { text: ` ${label} `, tone: 'muted' },
    );
    if (all.reduce((sum, { text }) => sum + widthOf(text), 0) <= columns) return all;
    // Only the chosen option, with arrows to the others.
    return [
      { text: chosen > 0 ? '‹ ' : '  ', tone: 'muted' },
      ...all.slice(chosen, chosen + 1),
      { text: chosen < all.length - 1 ? ' ›' : '', tone: 'muted' },
    ];
  }
  const hint = value === '' ? (field.hint ?? '') : '';
  // The caret stands before the hint.
  const [caret, room] = focused && hint !== '' ? [textRuns('', 0, 1, false), columns - 3] : [[], columns - 2];
  return [
    { text: '[', tone: focused ? 'accent' : 'faint' },
    ...(hint === ''
      ? textRuns(value, focused ? caretOf(state, field.name) : null, columns - 2, field.masked)
      : [...caret, { text: fit(hint, room), tone: 'muted' as const }]),
    { text: ']', tone: focused ? 'accent' : 'faint' },
  ];
}

/** Renders labels and fields, one row each. An inactive form shows no focus, for example while it is being sent. */
export function formLines(fields: readonly Field[], state: FormState, width: number, active = true): Line[] {
  const labels = Math.max(0, ...fields.map(({ label }) => widthOf(label)));
  const columns = Math.max(4, Math.min(FIELD_MAX, width - labels - 4));
  return fields.map((field) => {
    const focused = active && field.name === state.focus;
    return [
      { text: focused ? '› ' : '  ', tone: 'here' },
      { text: `${fit(field.label, labels)}  `, tone: focused ? 'strong' : 'muted' },
      ...contentRuns(field, state, focused, columns),
    ];
  });
}
