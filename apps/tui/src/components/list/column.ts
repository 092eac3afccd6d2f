// What a column is. The same definition makes the cells, sorts, filters, counts and copies.
import type { Tone } from '../../theme.ts';
import type { ColumnSize } from '../table/columns.ts';
import type { ListChoices } from './list-state.ts';

/** One cell. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** One column of rows of type T. */
export interface Column<T> extends ColumnSize {
  readonly id: string;
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** It stays where it is while the others are moved sideways. */
  readonly pinned?: true;
  readonly cell: (row: T) => Cell;
  /** What it is sorted by; by default the text of its cell. */
  readonly value?: (row: T) => string | number;
  /** Its width was chosen by hand. */
  readonly byHand?: true;
  /** Matches of the filter are shown in it. */
  readonly searched?: true;
  /** What is copied and counted; by default the text of its cell. */
  readonly text?: (row: T) => string;
}

/** What a column says of a row, as text. */
export const cellText = <T>(column: Column<T>, row: T): string => column.text?.(row) ?? column.cell(row).text;

/** Columns as they were chosen: in that order, so wide, hidden ones left out. Columns that the choice does not know keep their place. */
export function arrangeColumns<T>(
  columns: readonly Column<T>[],
  { order, hidden, widths }: Pick<ListChoices, 'order' | 'hidden' | 'widths'>,
): Column<T>[] {
  const known = order.filter((id) => columns.some((column) => column.id === id));
  const chosen = known.map((id) => columns.find((column) => column.id === id)).filter((column) => column !== undefined);
  let next = 0;
  return columns
    .map((column) => (known.includes(column.id) ? (chosen[next++] ?? column) : column))
    .filter(({ id }) => !hidden.includes(id))
    .map((column) => withWidth(column, widths[column.id]));
}

/** A width chosen by hand holds, whatever room there is. */
function withWidth<T>(column: Column<T>, width: number | undefined): Column<T> {
  if (width === undefined) return column;
  return { ...column, width, grow: 0, max: undefined, drop: undefined, byHand: true };
}

/** A letter for each column, from its title where it can be. */
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
