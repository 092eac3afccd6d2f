// What of a list leaves it: rows, cells and JSON for the clipboard, files, and the counts of a column.
import { exportRows } from '../../data/export.ts';
import { clean } from '../../text/clean.ts';
import { grouped, plural } from '../../text/format.ts';
import { fit } from '../../text/width.ts';
import { barLines } from '../charts/bars.ts';
import type { Dialog } from '../dialog/dialog.ts';
import { cellText } from './column.ts';
import type { ListContext, ListExtras, ValueCounts } from './list-commands.ts';
import type { List, ListCommands } from './use-list.ts';

/** Values that a table of frequencies shows. */
const FREQUENCIES_MAX = 200;

/** How often each value of a column occurs; `of`: what was counted. */
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

/** What can be copied of the chosen rows. */
export function copyCommands<T extends { readonly id: number }>(
  list: List<T>,
  { copy, say }: ListContext,
  extras: ListExtras,
): ListCommands {
  const { chosen, columns, state } = list;
  if (chosen.length === 0) return {};
  const hand = (text: string, what: string): void => {
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
      hand(chosen.map((row) => columns.map((one) => clean(cellText(one, row)).trim()).join('\t')).join('\n'), rows),
    ...(column === undefined
      ? {}
      : {
          copyCell: () =>
            hand(chosen.map((row) => clean(cellText(column, row))).join('\n'), column.title.toLowerCase()),
        }),
    copyJson: () => {
      const values = chosen.map((row) => asJson?.(row) ?? row);
      hand(JSON.stringify(values.length === 1 ? values[0] : values, null, 2), `${rows} as JSON`);
    },
    ...(curl === undefined ? {} : { copyCurl: () => hand(curl, 'the curl command') }),
  };
}

/** Rows as a file. */
export function exportCommands<T extends { readonly id: number }>(
  list: List<T>,
  { open, say }: ListContext,
  extras: ListExtras,
): ListCommands {
  const { rows, columns } = list;
  if (rows.length === 0) return {};
  const write = (path: string): void => {
    const all = (extras.all as (() => Promise<readonly T[]>) | undefined) ?? (async () => rows);
    all()
      .then((every) => exportRows(path, columns, every))
      .then((text) => say({ tone: 'good', text }))
      .catch((error: unknown) =>
        say({ tone: 'bad', text: error instanceof Error ? clean(error.message) : 'It failed.' }),
      );
  };
  return {
    exportRows: () =>
      open({
        kind: 'prompt',
        label: 'file: ',
        initial: '',
        history: [],
        note: () => '.csv  .json  .ndjson',
        onSubmit: (path) => {
          if (path.trim() !== '') write(path.trim());
        },
      }),
  };
}
