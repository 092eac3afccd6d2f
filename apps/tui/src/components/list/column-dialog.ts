// The dialog that chooses the columns of a list: which are shown, and in which order.

import type { Choice, ChooseDialog } from '@quarterdeck/views/questions';
import type { Dialog } from '../../context/dialog.ts';
import { arrangeColumns } from './column.ts';
import type { ListContext } from './list-context.ts';
import type { List } from './use-list.ts';

const RESET = '';

/** One line of the dialog. */
interface ColumnChoice {
  readonly id: string;
  readonly title: string;
  readonly isShown: boolean;
  /** Set if the window is too narrow for the column. */
  readonly isCutOff: boolean;
}

/** All columns of a list in their order, with a mark which are shown. */
export function columnChoices<T extends { readonly id: number }>(
  { allColumns, columns, table }: Pick<List<T>, 'allColumns' | 'columns' | 'table'>,
  order: readonly string[],
): ColumnChoice[] {
  const everything = { order, hidden: [], widths: {}, shown: allColumns.map(({ id }) => id) };
  return arrangeColumns(allColumns, everything).map(({ id, title }) => ({
    id,
    title,
    isShown: columns.some((one) => one.id === id),
    isCutOff: table.widths[columns.findIndex((one) => one.id === id)] === 0,
  }));
}

/** Moves the column at an index by one place. */
export function moved<T>(all: readonly T[], index: number, by: -1 | 1): readonly T[] {
  const to = index + by;
  if (to < 0 || to >= all.length) return all;
  const next = [...all];
  next.splice(to, 0, ...next.splice(index, 1));
  return next;
}

/** Builds the dialog. Each key changes the list at once; the dialog stays open. */
export function columnDialog<T extends { readonly id: number }>(
  list: List<T>,
  { open }: Pick<ListContext, 'open'>,
): Dialog {
  const show = (all: readonly ColumnChoice[], at: number): ChooseDialog => {
    const change = (next: readonly ColumnChoice[], index: number): void => {
      const shown = next.filter(({ isShown }) => isShown).map(({ id }) => id);
      // One column stays.
      if (shown.length === 0) return;
      list.act({ type: 'chooseColumns', shown, columns: next.map(({ id }) => id) });
      open(show(next, index));
    };
    const toggle = ({ id }: Choice, index: number): void =>
      change(
        all.map((one) => (one.id === id ? { ...one, isShown: !one.isShown } : one)),
        index,
      );
    const move =
      (by: -1 | 1) =>
      ({ id }: Choice, index: number): void => {
        if (id !== RESET) change(moved(all, index, by), Math.max(0, Math.min(index + by, all.length - 1)));
      };
    const take = (choice: Choice, index: number): void => {
      if (choice.id === RESET) list.act({ type: 'showColumns' });
      else toggle(choice, index);
    };
    const noteOf = ({ isShown, isCutOff }: ColumnChoice): string => {
      if (!isShown) return 'hidden';
      return isCutOff ? 'no room' : '';
    };
    const choices = all.map(
      (one): Choice => ({ id: one.id, text: `${one.isShown ? '✓' : ' '} ${one.title}`, note: noteOf(one) }),
    );
    return {
      kind: 'choose',
      title: 'Columns',
      choices: [...choices, { id: RESET, text: '  Reset all columns' }],
      byLetter: true,
      at,
      note: 'Space show or hide   < > move',
      actions: [
        { key: ' ', run: (choice, index) => choice.id !== RESET && toggle(choice, index) },
        { key: '<', run: move(-1) },
        { key: '>', run: move(1) },
      ],
      onTake: (choice) =>
        take(
          choice,
          choices.findIndex(({ id }) => id === choice.id),
        ),
    };
  };
  return show(columnChoices(list, list.state.order), 0);
}
