// Columns that several lists have, and the width of one that shows all of its values. Pure.
import { clean, clock, grouped, shortTime } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import { width } from '../../text/width.ts';
import type { BaseTone } from '../../theme/theme.ts';

/** Columns of the terminal that the widest text takes, within bounds. */
export function widest<T>(rows: Iterable<T>, text: (row: T) => string, least: number, most: number): number {
  let widest = least;
  for (const row of rows) widest = Math.max(widest, Math.min(most, width(clean(text(row)))));
  return widest;
}

/** A column of muted words, as wide as the widest of them within bounds. */
export const wordColumn = <T>(
  id: string,
  title: string,
  rows: readonly T[],
  word: (row: T) => string,
  { least, most, drop }: { readonly least: number; readonly most: number; readonly drop: number },
): Column<T> => ({
  id,
  title,
  width: widest(rows, word, least, most),
  drop,
  cell: (row) => ({ text: word(row), tone: 'muted' }),
});

/** A column of whole numbers, the largest first. Those above 0 have the tone. */
export const countColumn = <T>(
  id: string,
  title: string,
  width: number,
  number: (row: T) => number,
  { tone, drop }: { readonly tone: BaseTone; readonly drop?: number },
): Column<T> => ({
  id,
  title,
  width,
  align: 'right',
  drop,
  cell: (row) => ({ text: grouped(number(row)), tone: number(row) > 0 ? tone : 'faint' }),
  value: (row) => -number(row),
  number,
});

/** A column of moments in Unix seconds, the oldest first unless `value` says otherwise. */
export const momentColumn = <T>(
  id: string,
  title: string,
  moment: (row: T) => number,
  nowMs: number,
  rest: Pick<Column<T>, 'drop' | 'value'>,
): Column<T> => ({
  id,
  title,
  width: 12,
  cell: (row) => ({ text: shortTime(moment(row), nowMs), tone: 'muted' }),
  value: moment,
  moment,
  ...rest,
});

/** The state in a word. */
export const enabledCell = ({
  enabled,
}: {
  readonly enabled: boolean;
}): { readonly text: string; readonly tone: BaseTone } =>
  enabled ? { text: '● enabled', tone: 'good' } : { text: '○ disabled', tone: 'muted' };

/** A column for rows with a time in Unix milliseconds. */
export const timeColumn: Column<{ readonly atMs: number }> = {
  id: 'time',
  title: 'Time',
  width: 8,
  pinned: true,
  cell: ({ atMs }) => ({ text: clock(new Date(atMs)), tone: 'muted' }),
  value: ({ atMs }) => atMs,
  moment: ({ atMs }) => atMs / 1000,
};
