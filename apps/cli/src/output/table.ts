// Tables: aligned, cut to the terminal, and uncut without colours in a pipe.
import { styleText } from 'node:util';
import { cut, width } from '@quarterdeck/tui/text';
import { clean } from '@quarterdeck/views/text';
import { cellText, type Row, valueAt } from './cells.ts';

/** Blanks between two columns. */
const GAP = '  ';
/** A column is not cut below this. */
const COLUMN_MIN = 8;

/** Place of a table. */
export interface Surface {
  /** Columns of the terminal; undefined in a pipe. */
  readonly columns: number | undefined;
  readonly stream: NodeJS.WriteStream;
}

/** The place of a stream. */
export const surfaceOf = (stream: NodeJS.WriteStream): Surface => ({
  columns: stream.isTTY === true ? stream.columns : undefined,
  stream,
});

/** Formats rows with the names of the columns above them. */
export function tableText(rows: readonly Row[], names: readonly string[], surface: Surface): string {
  const cells = rows.map((row) => names.map((name) => cellText(name, valueAt(row, name))));
  const isNumber = names.map((name) => rows.length > 0 && rows.every((row) => isPlainNumber(name, row)));
  const widths = fitWidths(
    names.map((name, index) => Math.max(name.length, ...cells.map((row) => width(row[index] ?? '')))),
    surface.columns,
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => pad(text, widths[index] ?? 0, isNumber[index] === true, surface.columns !== undefined))
      .join(GAP)
      .trimEnd();
  const head = paint('bold', line(names.map((name) => clean(name).toUpperCase())), surface);
  const body = cells.map((row, index) => paintRow(line(row), rows[index], surface));
  return `${[head, ...body].join('\n')}\n`;
}

/** Formats the fields of one object, a line each. */
export function recordText(row: Row, names: readonly string[], surface: Surface): string {
  const widest = Math.max(0, ...names.map((name) => name.length));
  const room = surface.columns === undefined ? Number.POSITIVE_INFINITY : surface.columns - widest - GAP.length;
  return names
    .map((name) => {
      const text = cellText(name, valueAt(row, name));
      return `${paint('bold', clean(name).padEnd(widest), surface)}${GAP}${Number.isFinite(room) ? cut(text, room) : text}\n`;
    })
    .join('');
}

const isPlainNumber = (name: string, row: Row): boolean => {
  const value = valueAt(row, name);
  return typeof value === 'number' && cellText(name, value) === String(value);
};

function pad(text: string, columns: number, toRight: boolean, isCut: boolean): string {
  const shown = isCut ? cut(text, columns) : text;
  const blanks = ' '.repeat(Math.max(0, columns - width(shown)));
  return toRight ? blanks + shown : shown + blanks;
}

/** Takes columns from the widest ones until the table fits. */
function fitWidths(widths: readonly number[], columns: number | undefined): number[] {
  const fitted = [...widths];
  if (columns === undefined) return fitted;
  let excess = fitted.reduce((sum, one) => sum + one, 0) + GAP.length * (fitted.length - 1) - columns;
  while (excess > 0) {
    const widest = Math.max(...fitted);
    if (widest <= COLUMN_MIN) break;
    const next = Math.max(COLUMN_MIN, ...fitted.filter((one) => one < widest));
    const count = fitted.filter((one) => one === widest).length;
    const taken = Math.min(Math.ceil(excess / count), widest - next);
    for (const [index, one] of fitted.entries()) {
      if (one === widest) fitted[index] = widest - taken;
    }
    excess -= taken * count;
  }
  return fitted;
}

type Style = Parameters<typeof styleText>[0];

/** Colours text where the stream is a terminal and NO_COLOR is not set. */
function paint(style: Style, text: string, { stream }: Surface): string {
  return stream.isTTY === true ? styleText(style, text, { stream }) : text;
}

/** Looks of states and levels that need attention. */
function paintRow(text: string, row: Row | undefined, surface: Surface): string {
  const level = valueAt(row, 'level');
  const state = valueAt(row, 'state');
  if (state === 'resolved' || state === 'muted' || state === 'deleted' || state === 'disabled') {
    return paint('dim', text, surface);
  }
  if (typeof level === 'number' && level <= 3) return paint('red', text, surface);
  if (state === 'offline' || state === 'expired' || state === 'firing' || state === 'dead') {
    return paint('red', text, surface);
  }
  if (state === 'expiring' || state === 'regressed' || state === 'pending' || state === 'waiting') {
    return paint('yellow', text, surface);
  }
  return text;
}
