// The commands that narrow a list by the value of its selected column.
import { type FieldNames, nameOfField } from '@quarterdeck/core/filter';
import { filterProblem, withoutValue, withText, withValue } from '@quarterdeck/views/filters';
import { type Column, cellText } from './column.ts';
import type { ListContext, ListExtras } from './list-context.ts';
import { filterValue } from './row-test.ts';
import type { List, ListCommands } from './use-list.ts';

/** Longest part of a text that is asked for, characters. */
const TEXT_MAX = 200;

/** A value of a field, or a text in place of one. */
type Term = { readonly name: string; readonly value: string } | { readonly text: string };

/** The term for the value of a row in a column; undefined where the filter knows no such field. */
function termOf<T>(column: Column<T>, row: T, isServed: boolean): Term | undefined {
  const { field } = column;
  if (field !== undefined) {
    const value = field.value === undefined ? filterValue(column, row) : field.value(row);
    return value === undefined ? undefined : { name: field.name, value };
  }
  if (isServed) return column.searched === true ? { text: cellText(column, row).slice(0, TEXT_MAX) } : undefined;
  return column.moment === undefined ? { name: nameOfField(column.id), value: filterValue(column, row) } : undefined;
}

const narrowed = (filter: string, term: Term, names: FieldNames): string =>
  'text' in term ? withText(filter, term.text, names) : withValue(filter, term.name, term.value, names);

/** Returns the commands for the selected row. */
export function narrowCommands<T extends { readonly id: number }>(
  { selected, columns, state, names, isServed, act }: List<T>,
  { say, keyOf }: ListContext,
  { onFilter }: ListExtras,
): ListCommands {
  if (selected === undefined || names === null) return {};
  // A text that is no filter hides nothing, so it is replaced.
  const present = filterProblem(state.filter, names) === null ? state.filter : '';
  const set = (text: string): void => {
    act({ type: 'filter', text });
    onFilter?.(text);
  };
  const withTerm = (take: (term: Term) => void) => (): void => {
    const column = columns.find(({ id }) => id === state.column);
    if (column === undefined) {
      const keys = `${keyOf('list.columnLeft')} or ${keyOf('list.columnRight')}`;
      say({ tone: 'notice', text: `Select a column first: ${keys}.` });
      return;
    }
    const term = termOf(column, selected, isServed);
    if (term !== undefined) take(term);
    else say({ tone: 'notice', text: `The list has no filter for this value of the column ${column.title}.` });
  };
  return {
    byValue: withTerm((term) => set(narrowed(present, term, names))),
    notValue: withTerm((term) => {
      if ('text' in term) say({ tone: 'notice', text: 'Select a column with values, such as a name or a state.' });
      else set(withoutValue(present, term.name, term.value, names));
    }),
  };
}
