// The column of the local time.
import { clock } from '@quarterdeck/views/text';
import type { Column } from './column.ts';

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
