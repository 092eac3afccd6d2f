// A line of runs as cells, remembered as long as the line itself.
import { clean } from '../text/clean.ts';
import { fitLine, type Line } from '../text/lines.ts';
import type { Theme } from '../theme.ts';
import { blankRow, type Row, write } from './row.ts';
import { styleOfLook } from './style.ts';

interface Known {
  readonly columns: number;
  readonly theme: Theme;
  readonly row: Row;
}

const known = new WeakMap<Line, Known>();

/** The line as it is shown: harmless, exactly so many columns, a cut marked with `…`. */
export function shownLine(line: Line, columns: number): Line {
  return fitLine(
    line.map((run) => ({ ...run, text: clean(run.text) })),
    columns,
  );
}

/** The cells of a line in so many columns. */
export function cellsOf(line: Line, columns: number, theme: Theme): Row {
  const before = known.get(line);
  if (before?.columns === columns && before.theme === theme) return before.row;
  const row = blankRow(columns);
  let column = 0;
  for (const { text, tone = 'plain' } of shownLine(line, columns)) {
    column = write(row, column, text, styleOfLook(theme[tone]), 'columns');
  }
  known.set(line, { columns, theme, row });
  return row;
}
