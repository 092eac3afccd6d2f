// When something was, by the clock on the wall.
import { clock } from '../../text/format.ts';
import type { Column } from './column.ts';

/** The column of rows that know their moment in Unix milliseconds. */
export const timeColumn: Column<{ readonly atMs: number }> = {
  id: 'time',
  title: 'Time',
  width: 8,
  pinned: true,
  cell: ({ atMs }) => ({ text: clock(new Date(atMs)), tone: 'muted' }),
  value: ({ atMs }) => atMs,
};
