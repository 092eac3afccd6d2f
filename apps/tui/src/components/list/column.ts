// Columns of lists. One definition serves cells, sorting, filtering, counting and copying.

import type { ListChoices } from '../../settings/state-store.ts';
import type { Tone } from '../../theme/theme.ts';
import type { ColumnSize } from '../table/columns.ts';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** One column of rows of type T. */
export interface Column<T> extends ColumnSize {
  readonly id: string;
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Set if the column stays in place when the table is moved sideways. */
  readonly pinned?: true;
  readonly cell: (row: T) => Cell;
  /** Value to sort by; the text of the cell by default. */
  readonly value?: (row: T) => string | number;
  /** Time of a row in Unix seconds, if the column has times; 0 = none. Filters compare it. */
  readonly moment?: (row: T) => number;
  /** Number of a row, for filters; the text of the cell by default. */
  readonly number?: (row: T) => number;
  /** Field of the server's filter, and the value of a row in it; the value of the column by default. */
  readonly field?: { readonly name: string; readonly value?: (row: T) => string | undefined };
  /** Set if the column is shown only where the user chose it. */
  readonly optional?: true;
  /** Set if the column is left out while all rows have the same value, which a chip then shows. */
  readonly folds?: true;
  /** Set if the user chose the width. */
  readonly byHand?: true;
  /** Set if the column has messages, whose parts have their own tones. */
  readonly isMessage?: true;
  /** Set if the column shows matches of the filter. */
  readonly searched?: true;
  /** Text to copy and to count; the text of the cell by default. */
  readonly text?: (row: T) => string;
}

/** Returns the text of a row in a column. */
export const cellText = <T>(column: Column<T>, row: T): string => column.text?.(row) ?? column.cell(row).text;

/** Applies the user's order, widths and hidden columns. Columns unknown to the order keep their place. */
export function arrangeColumns<T>(
  columns: readonly Column<T>[],
  { order, hidden, shown, widths }: Pick<ListChoices, 'order' | 'hidden' | 'shown' | 'widths'>,
): Column<T>[] {
  const known = order.filter((id) => columns.some((column) => column.id === id));
  const chosen = known.map((id) => columns.find((column) => column.id === id)).filter((column) => column !== undefined);
  let next = 0;
  return columns
    .map((column) => (known.includes(column.id) ? (chosen[next++] ?? column) : column))
    .filter(({ id, optional }) => !hidden.includes(id) && (optional !== true || shown.includes(id)))
    .map((column) => withWidth(column, widths[column.id]));
}

/** The value that all rows have in each column that folds, by the id of the column. */
export function foldedValues<T>(columns: readonly Column<T>[], rows: readonly T[]): ReadonlyMap<string, string> {
  const folded = new Map<string, string>();
  const [first, ...others] = rows;
  if (first === undefined || others.length === 0) return folded;
  for (const column of columns) {
    if (column.folds !== true || column.byHand === true) continue;
    const value = cellText(column, first);
    if (value !== '' && others.every((row) => cellText(column, row) === value)) folded.set(column.id, value);
  }
  return folded;
}

/** Fixes a width that the user chose. */
function withWidth<T>(column: Column<T>, width: number | undefined): Column<T> {
  if (width === undefined) return column;
  return { ...column, width, grow: 0, max: undefined, drop: undefined, byHand: true };
}

/** Assigns a letter to each column, from its title if possible. */
export function assignLetters(
  columns: readonly { readonly id: string; readonly title: string }[],
): Map<string, string> {
  const taken = new Map<string, string>();
  const used = new Set<string>();
  for (const { id, title } of columns) {
    const letter = [...`${title.toLowerCase()}abcdefghijklmnopqrstuvwxyz`].find(
      (character) => /[a-z]/.test(character) && !used.has(character),
    );
    if (letter === undefined) continue;
    used.add(letter);
    taken.set(id, letter);
  }
  return taken;
}

/** Finds a column by its id or title, or by the beginning of one. */
export function columnNamed<C extends { readonly id: string; readonly title: string }>(
  columns: readonly C[],
  text: string,
): C | undefined {
  const typed = text.trim().toLowerCase();
  const has = (test: (name: string) => boolean) =>
    columns.find(({ id, title }) => [id, title.toLowerCase()].some(test));
  return has((name) => name === typed) ?? has((name) => name.startsWith(typed));
}

/** Names the columns that a list can be sorted by, for a message. */
export const sortableTitles = <T>(columns: readonly Column<T>[], isSortable: (id: string) => boolean): string =>
  columns
    .filter(({ id }) => isSortable(id))
    .map(({ title }) => title.toLowerCase())
    .join(', ');
