// Commands that copy rows of a list, and the dialog of value counts.

import type { ValueCounts } from '@quarterdeck/views/filters';
import { clean, grouped, plural } from '@quarterdeck/views/text';
import type { Dialog } from '../../context/dialog.ts';
import { fit } from '../../text/width.ts';
import { barLines } from '../charts/bars.ts';
import { cellText } from './column.ts';
import type { ListContext, ListExtras } from './list-context.ts';
import type { List, ListCommands } from './use-list.ts';

/** Maximum number of values in a dialog of value counts. */
const FREQUENCIES_MAX = 200;

/** Builds the dialog that lists the values of a column with their counts. `of` names the counted rows. */
export function valueCountsDialog(title: string, counted: ValueCounts['counted'], of: string): Dialog {
  const all = counted.reduce((sum, { count }) => sum + count, 0);
  const bars = counted.slice(0, FREQUENCIES_MAX).map(({ value, count }) => ({
    label: clean(value.trim()) || '(nothing)',
    value: count,
    text: `${grouped(count)}  ${fit(`${Math.round((count / Math.max(1, all)) * 100)}%`, 4, 'right')}`,
  }));
  return {
    kind: 'text',
    title: `${title}: ${plural(counted.length, 'value')} in ${of}`,
    lines: (width) => barLines(bars, width),
    copy: counted.map(({ value, count }) => `${count}\t${clean(value)}`).join('\n'),
  };
}

/** Returns the copy commands of the chosen rows. */
export function copyCommands<T extends { readonly id: number }>(
  list: List<T>,
  { copy, say }: ListContext,
  extras: ListExtras,
): ListCommands {
  const { chosen, columns, state } = list;
  if (chosen.length === 0) return {};
  const copyAndReport = (text: string, what: string): void => {
    copy(text);
    say({ tone: 'good', text: `Copied ${what}.` });
  };
  const rows = chosen.length === 1 ? 'the row' : `${grouped(chosen.length)} rows`;
  const column =
    columns.find(({ id }) => id === state.column) ?? columns.find(({ searched }) => searched) ?? columns[0];
  const asJson = extras.json as ((row: T) => unknown) | undefined;
  const { curl } = extras;
  return {
    copyRow: () =>
      copyAndReport(
        chosen.map((row) => columns.map((one) => clean(cellText(one, row)).trim()).join('\t')).join('\n'),
        rows,
      ),
    ...(column === undefined
      ? {}
      : {
          copyCell: () =>
            copyAndReport(chosen.map((row) => clean(cellText(column, row))).join('\n'), column.title.toLowerCase()),
        }),
    copyJson: () => {
      const values = chosen.map((row) => asJson?.(row) ?? row);
      copyAndReport(JSON.stringify(values.length === 1 ? values[0] : values, null, 2), `${rows} as JSON`);
    },
    ...(curl === undefined ? {} : { copyCurl: () => copyAndReport(curl, 'the curl command') }),
  };
}
