// Cells of lines, cached as long as the line exists.
import { clean } from '@quarterdeck/views/text';
import { fitLine, type Line } from '../text/runs.ts';
import type { Looks } from './look.ts';
import { blankRow, type Row, write } from './row.ts';
import { styleOfLook } from './style.ts';

interface Known {
  readonly columns: number;
  readonly looks: Looks;
  readonly row: Row;
}

const known = new WeakMap<Line, Known>();

/** Cleans a line and fits it to `columns`. A cut is marked with `…`. */
export function shownLine<Tone extends string>(line: Line<Tone>, columns: number): Line<Tone> {
  return fitLine(
    line.map((run) => ({ ...run, text: clean(run.text) })),
    columns,
  );
}

/** Returns the cells of a line. */
export function cellsOf(line: Line, columns: number, looks: Looks): Row {
  const before = known.get(line);
  if (before?.columns === columns && before.looks === looks) return before.row;
  const row = blankRow(columns);
  let column = 0;
  for (const { text, tone = 'plain' } of shownLine(line, columns)) {
    column = write(row, column, text, styleOfLook(looks[tone] ?? {}), 'columns');
  }
  known.set(line, { columns, looks, row });
  return row;
}
