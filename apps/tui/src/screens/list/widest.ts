// Width of a column that shows all of its values. Pure.
import { clean } from '@quarterdeck/views/text';
import { width } from '../../text/width.ts';

/** Columns of the terminal that the widest text takes, within bounds. */
export function widest<T>(rows: Iterable<T>, text: (row: T) => string, least: number, most: number): number {
  let widest = least;
  for (const row of rows) widest = Math.max(widest, Math.min(most, width(clean(text(row)))));
  return widest;
}
