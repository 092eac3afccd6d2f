// Rows made of runs of one tone each. The names of the tones are the caller's. Pure. Expects cleaned text.
import { cut, fit, take, width as widthOf } from './width.ts';

export interface Run<Tone extends string = string> {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** One row. */
export type Line<Tone extends string = string> = readonly Run<Tone>[];

/** Columns that a row takes. */
export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** Cuts a row to `columns`, or fills it up with blanks in `tone`. A cut is marked with `…`. */
export function fitLine<Tone extends string>(line: Line<Tone>, columns: number, tone?: Tone): Line<Tone> {
  const runs: Run<Tone>[] = [];
  let room = Math.max(0, columns);
  for (const [index, run] of line.entries()) {
    const needed = widthOf(run.text);
    const isLast = index === line.length - 1;
    if (needed > room || (needed === room && !isLast && lineWidth(line.slice(index + 1)) > 0)) {
      if (room > 0) {
        // The mark of the cut needs a column of its own even where this run would just have fitted.
        const shown = needed > room ? cut(run.text, room) : `${take(run.text, room - 1).head}…`;
        runs.push({ ...run, text: fit(shown, room) });
      }
      return runs;
    }
    runs.push(run);
    room -= needed;
  }
  if (room > 0) runs.push({ text: ' '.repeat(room), ...(tone === undefined ? {} : { tone }) });
  return runs;
}
