// The prompt of a filter, and the rows that a filter finds.

import { fieldOfLine } from '@quarterdeck/core/filter';
import type { ValueCounts } from '@quarterdeck/views/filters';
import {
  type FilterSource,
  filterNote,
  filterProblem,
  type ListFilter,
  missingExpressions,
  readFilter,
  suggestFilter,
  withKnownNames,
} from '@quarterdeck/views/filters';
import type { PromptDialog } from '../../context/dialog.ts';
import { cellText } from './column.ts';
import { filterHelpDialog } from './filter-help.ts';
import type { ListExtras } from './list-context.ts';
import { countValues } from './list-filter.ts';
import { filterValue, rowTest } from './row-test.ts';
import type { List } from './use-list.ts';

/** Counts the values of a field over the rows before the filter. */
function countRows<T extends { readonly id: number }>(
  { all, allColumns }: List<T>,
  name: string,
): ValueCounts['counted'] {
  const column = allColumns.find(({ id }) => id === fieldOfLine(name));
  return column === undefined ? [] : countValues(all, column, filterValue);
}

/** The prompt of a filter in the filter language. */
function languagePrompt(given: FilterSource): Partial<PromptDialog> {
  const source = withKnownNames(given);
  const { names } = source;
  return {
    note: filterNote,
    check: (text) => filterProblem(text, names),
    prepare: (text) => missingExpressions(readFilter(text, names)),
    suggest: (beforeCaret) => suggestFilter(beforeCaret, source),
    help: (back) => filterHelpDialog(names, back),
  };
}

/** Returns a test of the rows that `n` finds: those that pass the filter, or show a match of it. */
export function hitTest<T extends { readonly id: number }>(
  { isServed, columns, allColumns, nowS }: List<T>,
  { filter, find }: ListFilter,
): (row: T) => boolean {
  if (!isServed) return rowTest(filter, allColumns, nowS);
  // The server looks at more than the row shows.
  if (find === undefined) return () => true;
  return (row) => columns.some((column) => find(cellText(column, row)).length > 0);
}

/** Describes the prompt: that of the filter language, or of a literal text. */
export function filterPrompt<T extends { readonly id: number }>(
  list: List<T>,
  { filterSource, searches = '' }: ListExtras,
): Partial<PromptDialog> {
  const { names } = list;
  if (names === null) return { note: () => searches };
  return languagePrompt(filterSource ?? { names, values: (name) => countRows(list, name) });
}
