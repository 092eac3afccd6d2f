// The dialog of the values of a field: counts and bars over all lines of a filter, and the choice of one.
import type { LineValues } from '@quarterdeck/core';
import type { ChooseDialog } from '@quarterdeck/views/questions';
import { clean, grouped, plural } from '@quarterdeck/views/text';
import { bar } from '../../components/charts/bars.ts';
import { fit } from '../../text/width.ts';

/** Widest bar, columns; the note of a choice has a third of the dialog. */
const BAR_MAX = 10;

/** The actions of a choice: show only the lines with the value, or hide them. */
export interface ValueActions {
  readonly onOnly: (value: string) => void;
  readonly onHide: (value: string) => void;
}

export function valuesDialog(
  label: string,
  { values, other, distinct, meta }: LineValues,
  { onOnly, onHide }: ValueActions,
): ChooseDialog {
  const all = values.reduce((sum, { count }) => sum + count, other);
  const most = Math.max(1, ...values.map(({ count }) => count));
  const numbers = Math.max(0, ...values.map(({ count }) => grouped(count).length));
  const valueAt = (id: string): string => values[Number(id)]?.value ?? '';
  return {
    kind: 'choose',
    title: `${clean(label)}: ${plural(distinct, 'value')} in ${plural(all, 'line')}${meta.complete ? '' : ', not complete'}`,
    choices: values.map(({ value, count }, index) => ({
      id: String(index),
      text: clean(value) || '(none)',
      note: [
        fit(bar(count, most, BAR_MAX), BAR_MAX),
        grouped(count).padStart(numbers),
        `${Math.round((count / Math.max(1, all)) * 100)}%`.padStart(4),
      ].join(' '),
    })),
    onTake: ({ id }) => onOnly(valueAt(id)),
    onExclude: ({ id }) => onHide(valueAt(id)),
  };
}
