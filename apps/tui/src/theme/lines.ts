// Rows made of runs: slicing, joining, highlighting. Pure. Expects cleaned text.

import { fitLine, lineWidth, type Line as ToneLine, type Run as ToneRun } from '../text/runs.ts';
import { take, width as widthOf } from '../text/width.ts';
import type { Tone } from './theme.ts';

export { fitLine, lineWidth };

/** Text of one tone of the theme. */
export type Run = ToneRun<Tone>;

/** One row. */
export type Line = ToneLine<Tone>;

/** Returns at most `columns` columns of a row from `from` on. A wide glyph that is cut in two becomes blanks. */
export function sliceLine(line: Line, from: number, columns: number): Line {
  const runs: Run[] = [];
  let skip = from;
  let room = columns;
  for (const run of line) {
    if (room <= 0) break;
    const needed = widthOf(run.text);
    if (needed <= skip) {
      skip -= needed;
      continue;
    }
    const { head, used } = take(run.text, skip);
    let rest = run.text.slice(head.length);
    if (used < skip) {
      // The first half of a wide glyph is left of the edge.
      const glyph = [...new Intl.Segmenter().segment(rest)][0]?.segment ?? '';
      rest = ' '.repeat(widthOf(glyph) - (skip - used)) + rest.slice(glyph.length);
    }
    skip = 0;
    const shown = take(rest, room);
    runs.push({ ...run, text: shown.head });
    room -= shown.used;
    if (shown.head.length < rest.length) break;
  }
  return runs;
}

/** Wraps a row into rows of at most `columns`, between words where there are any. Blank rows behind it are left out. */
export function wrapLine(line: Line, columns: number): Line[] {
  const text = line.map((run) => run.text).join('');
  const rows: Line[] = [];
  let from = 0;
  for (let rest = text; rest.trim() !== '' || rows.length === 0; ) {
    const { head, used } = take(rest, columns);
    const space = head.length < rest.length && rest[head.length] !== ' ' ? head.lastIndexOf(' ') + 1 : head.length;
    const end = space > columns / 2 ? space : Math.max(1, head.length);
    const taken = end === head.length ? Math.max(1, used) : widthOf(head.slice(0, end));
    rows.push(sliceLine(line, from, taken));
    from += taken;
    rest = rest.slice(end);
  }
  return rows;
}

/** Puts two rows at both ends of a row of `columns`. The left one is cut if both do not fit. */
export function spread(left: Line, right: Line, columns: number): Line {
  const rightWidth = lineWidth(right);
  if (rightWidth >= columns) return fitLine(right, columns);
  return [...fitLine(left, columns - rightWidth), ...right];
}

/** Puts blocks of rows side by side, each filled to its width, with `gap` blank columns between them. */
export function beside(
  blocks: readonly { readonly lines: readonly Line[]; readonly width: number }[],
  gap: number,
): Line[] {
  const height = Math.max(0, ...blocks.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    blocks.flatMap(
      ({ lines, width }, index): Line => [
        ...(index > 0 && gap > 0 ? [{ text: ' '.repeat(gap) }] : []),
        ...fitLine(lines[row] ?? [], width),
      ],
    ),
  );
}

/** Parts of a text in order, from a UTF-16 unit up to another one. */
export type FindSpans = (text: string) => readonly { readonly from: number; readonly to: number }[];

/** Splits a run so that every span has its own tone. */
export function highlight(run: Run, find: FindSpans | undefined, tone: Tone): Run[] {
  if (find === undefined) return [run];
  const runs: Run[] = [];
  let at = 0;
  for (const { from, to } of find(run.text)) {
    if (from > at) runs.push({ ...run, text: run.text.slice(at, from) });
    runs.push({ text: run.text.slice(from, to), tone });
    at = to;
  }
  if (at === 0) return [run];
  if (at < run.text.length) runs.push({ ...run, text: run.text.slice(at) });
  return runs;
}

/** Returns whether two rows look the same. */
export const sameLine = (a: Line, b: Line): boolean =>
  a === b || (a.length === b.length && a.every((run, i) => run.text === b[i]?.text && run.tone === b[i]?.tone));
