// Columns that several lists have, and the width of one that shows all of its values. Pure.
import { clean, clock, grouped, shortTime } from '@quarterdeck/views/text';
import { expiryCell } from '@quarterdeck/views/tokens';
import type { Column } from '../../components/list/column.ts';
import type { ColumnSize } from '../../components/table/columns.ts';
import { width } from '../../text/width.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { lastText } from './moments.ts';

/** Columns of the terminal that the widest text takes, within bounds. */
export function widest<T>(rows: Iterable<T>, text: (row: T) => string, least: number, most: number): number {
  let widest = least;
  for (const row of rows) widest = Math.max(widest, Math.min(most, width(clean(text(row)))));
  return widest;
}

/** The widths of a column of texts, and everything else that differs from the usual column. */
interface TextColumn<T> extends Partial<Omit<Column<T>, 'id' | 'title' | 'max'>> {
  /** Width of the narrowest column, width beyond which it only grows, width of the widest column. */
  readonly widths: readonly [least: number, usual: number, most: number];
  readonly tone?: BaseTone;
}

/** A column of texts that grows until the widest one is whole. */
export function textColumn<T>(
  id: string,
  title: string,
  rows: readonly T[],
  text: (row: T) => string,
  { widths: [least, usual, most], tone, ...rest }: TextColumn<T>,
): Column<T> {
  const max = widest(rows, text, least, most);
  return { id, title, width: Math.min(max, usual), max, cell: (row) => ({ text: text(row), tone }), ...rest };
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

/** A column of times of the last use in Unix seconds, the latest first; null = never. */
export const lastColumn = <T>(
  id: string,
  title: string,
  last: (row: T) => number | null | undefined,
  nowMs: number,
  size: Pick<Column<T>, 'width' | 'drop'>,
): Column<T> => ({
  id,
  title,
  cell: (row) => ({ text: lastText(last(row), nowMs), tone: last(row) === null ? 'faint' : 'muted' }),
  value: (row) => -(last(row) ?? 0),
  moment: (row) => last(row) ?? 0,
  ...size,
});

/** A column of ends, the next first; those without one are last. */
export const expiryColumn = <T extends { readonly expire: number }>(nowMs: number, size: ColumnSize): Column<T> => ({
  id: 'expires',
  title: 'Expires',
  cell: ({ expire }) => expiryCell(expire, nowMs),
  value: ({ expire }) => (expire === 0 ? Number.MAX_SAFE_INTEGER : expire),
  moment: ({ expire }) => expire / 1000,
  ...size,
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
