// Commands on the columns of a list: sort, hide, move, resize, count values.
import { failureOf } from '@quarterdeck/views/failures';
import type { Choice } from '@quarterdeck/views/questions';
import { clean, grouped, plural } from '@quarterdeck/views/text';
import { assignLetters, columnNamed, sortableTitles } from './column.ts';
import { columnChoices, columnDialog } from './column-dialog.ts';
import { valueCountsDialog } from './copy-commands.ts';
import { readRows } from './export-commands.ts';
import type { ListContext, ListExtras } from './list-context.ts';
import { countValues } from './list-filter.ts';
import type { List, ListCommands } from './use-list.ts';

/** Columns of the terminal in one step sideways. */
const PAN_STEP = 10;

/** Sorts by a column. The same column again reverses the order. */
export function sortBy<T extends { readonly id: number }>(list: List<T>, { onSort }: ListExtras, id: string): void {
  if (onSort === undefined) list.act({ type: 'sort', id });
  else onSort(id);
}

export function columnCommands<T extends { readonly id: number }>(
  list: List<T>,
  { open, say, keyOf }: ListContext,
  extras: ListExtras,
): ListCommands {
  const { state, act, columns, allColumns, table } = list;
  const names = columns.map(({ id }) => id);
  const pan = (by: number): void => act({ type: 'pan', by, most: table.panMost() });
  const [first] = state.sort;
  const chosen = columns.find(({ id }) => id === state.column);
  const resize = (by: number): void => {
    const width = table.widths[names.indexOf(state.column ?? '')] ?? 0;
    act({ type: 'resizeColumn', by, width });
  };
  const sort = (id: string): void => {
    // An order by a hidden column would not be seen.
    if (!names.includes(id)) {
      const all = columnChoices(list, state.order).map((one) => one.id);
      act({ type: 'chooseColumns', shown: all.filter((one) => one === id || names.includes(one)), columns: all });
    }
    sortBy(list, extras, id);
  };
  const pick = (): void => {
    const byLetter = assignLetters(allColumns);
    const sortable = allColumns.filter(({ id }) => extras.isSortable?.(id) !== false);
    const choices = sortable.flatMap(({ id, title }): Choice[] => {
      const letter = byLetter.get(id);
      const key = state.sort.find((candidate) => candidate.id === id);
      const note = key === undefined ? '' : key.down ? 'largest first' : 'smallest first';
      return letter === undefined ? [] : [{ id, text: title, letter, note }];
    });
    open({ kind: 'choose', title: 'Sort by', choices, byLetter: true, onTake: ({ id }) => sort(id) });
  };
  /** Runs a command on the column of a typed name, or says which columns there are. */
  const onNamed = (text: string, run: (id: string) => void, isOffered = (_: string): boolean => true): void => {
    const column = columnNamed(
      allColumns.filter(({ id }) => isOffered(id)),
      text,
    );
    if (column !== undefined) run(column.id);
    else
      say({
        tone: 'notice',
        text: `No such column: ${clean(text)}. Columns: ${sortableTitles(allColumns, isOffered)}.`,
      });
  };
  const hide = (id: string): void => {
    act({ type: 'column', by: names.indexOf(id) - names.indexOf(state.column ?? ''), columns: names });
    act({ type: 'hide', columns: names });
  };
  const frequency = (column: (typeof columns)[number] | undefined): void => {
    if (column === undefined) return;
    const served = extras.frequency?.(column.id);
    const counts =
      served ??
      readRows(list, extras, (read) =>
        say({ tone: 'notice', text: `Reading the rows: ${grouped(read)} of ${grouped(list.extent.length)}…` }),
      ).then((rows) => ({ counted: countValues(rows, column), of: plural(rows.length, 'row') }));
    counts
      .then(({ counted, of }) => open(valueCountsDialog(column.title, counted, of)))
      .catch((error: unknown) => say({ tone: 'bad', text: failureOf(error).message }));
  };
  return {
    panRight: (times) => pan(PAN_STEP * times),
    panLeft: (times) => pan(-PAN_STEP * times),
    panHome: () => pan(Number.MIN_SAFE_INTEGER),
    panEnd: () => pan(Number.MAX_SAFE_INTEGER),
    columnRight: (times) => act({ type: 'column', by: times, columns: names }),
    columnLeft: (times) => act({ type: 'column', by: -times, columns: names }),
    sort: (_, text) => (text === undefined ? pick() : onNamed(text, sort, extras.isSortable)),
    hideColumn(_, text) {
      if (text !== undefined) onNamed(text, hide, (id) => names.includes(id));
      else if (chosen === undefined)
        say({
          tone: 'notice',
          text: `Select a column first: ${keyOf('list.columnLeft')} or ${keyOf('list.columnRight')}.`,
        });
      else act({ type: 'hide', columns: names });
    },
    ...(first === undefined ? {} : { reverse: () => sortBy(list, extras, first.id) }),
    chooseColumns: () => open(columnDialog(list, { open })),
    ...(chosen === undefined
      ? {}
      : {
          narrower: (times) => resize(-times),
          wider: (times) => resize(times),
          columnBack: () => act({ type: 'moveColumn', by: -1, columns: names }),
          columnForth: () => act({ type: 'moveColumn', by: 1, columns: names }),
        }),
    frequency(_, text) {
      if (text !== undefined) onNamed(text, (id) => frequency(allColumns.find((one) => one.id === id)));
      else frequency(chosen ?? columns[0]);
    },
  };
}
