// Tables as lines. Pure, except for a cache: a row that looks the same is the same object.

import type { Extent } from '@quarterdeck/views/lists';
import type { SortKey } from '@quarterdeck/views/saved-views';
import { clean } from '@quarterdeck/views/text';
import { fit, width as widthOf } from '../../text/width.ts';
import {
  type FindSpans,
  fitLine,
  highlight,
  type Line,
  lineWidth,
  type Run,
  sameLine,
  sliceLine,
} from '../../theme/lines.ts';
import { messageRuns } from '../../theme/message-runs.ts';
import { type Ground, on, type Tone } from '../../theme/theme.ts';
import { fitColumns, GAP } from '../table/columns.ts';
import type { Column } from './column.ts';

// Marks the selection where colours are missing.
const MARK = '▌';
const MARKED = '•';
const BOOKMARKED = '★';
/** Columns of the terminal in front of the table's first column. */
const LEAD = 2;
/** Maximum width of a column when the table is moved sideways. */
const NATURAL_MAX = 1_000;
/** Maximum number of cached rows; more than any screen has. */
const REMEMBERED_MAX = 500;

export interface TableLayout<T> {
  readonly columns: readonly Column<T>[];
  readonly widths: readonly number[];
  /** Number of columns in front that stay when the table is moved sideways. */
  readonly pinned: number;
  readonly pan: number;
  /** Returns how far the table can be moved sideways. Measured on demand. */
  readonly panMost: () => number;
  readonly width: number;
}

/** Returns the width of a column for these rows when nothing is cut. */
function naturalWidth<T>(column: Column<T>, rows: readonly T[]): number {
  if (column.byHand === true) return column.width;
  let width = widthOf(column.title) + 1;
  for (const row of rows) width = Math.max(width, Math.min(NATURAL_MAX, widthOf(clean(column.cell(row).text))));
  return Math.max(column.width, width);
}

/** Lays out a table for the visible rows. A table moved sideways shows every column in full width. */
export function layOutTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
  pan: number,
): TableLayout<T> {
  const room = Math.max(0, width - LEAD);
  const pinned = Math.max(
    0,
    columns.findIndex(({ pinned }) => pinned !== true),
  );
  const sum = (widths: readonly number[]): number => widths.reduce((total, one) => total + one + GAP, 0);
  const measure = (): { full: readonly number[]; most: number } => {
    const full = columns.map((column) => naturalWidth(column, rows));
    const front = sum(full.slice(0, pinned));
    return { full, most: Math.max(0, sum(full.slice(pinned)) - GAP - (room - front)) };
  };
  const measured = pan > 0 ? measure() : null;
  const moved = Math.min(pan, measured?.most ?? 0);
  return {
    columns,
    widths: measured !== null && moved > 0 ? measured.full : fitColumns(columns, room),
    pinned,
    pan: moved,
    panMost: () => (measured ?? measure()).most,
    width,
  };
}

function placeCells<T>(layout: TableLayout<T>, cells: readonly (readonly Run[])[], ground: Ground | undefined): Line {
  const runs: Run[] = [];
  let front: Line = [];
  for (const [index, column] of layout.columns.entries()) {
    if (index === layout.pinned) front = [...runs.splice(0)];
    const width = layout.widths[index] ?? 0;
    if (width === 0) continue;
    const cell = cells[index] ?? [];
    const used = lineWidth(cell);
    const room = width - used;
    if (column.align === 'right' && room > 0) runs.push({ text: ' '.repeat(room), tone: on('plain', ground) });
    runs.push(...(room < 0 ? fitLine(cell, width) : cell));
    const fill = column.align === 'right' ? 0 : Math.max(0, room);
    const isLast = layout.widths.slice(index + 1).every((other) => other === 0);
    if (fill > 0 || !isLast) runs.push({ text: ' '.repeat(fill + (isLast ? 0 : GAP)), tone: on('plain', ground) });
  }
  const room = layout.width - LEAD - lineWidth(front);
  const rest = layout.pan > 0 ? sliceLine(runs, layout.pan, room) : runs;
  return [...front, ...rest];
}

/** Renders the header: titles, sort arrow, chosen column, and a note at its end. */
export function headerLine<T>(
  layout: TableLayout<T>,
  sort: readonly SortKey[],
  chosen: string | null,
  note = '',
): Line {
  const cells = layout.columns.map(({ id, title, align }, index): Run[] => {
    const key = sort.find((candidate) => candidate.id === id);
    const arrow = key === undefined ? '' : key.down ? '▼' : '▲';
    const room = layout.widths[index] ?? 0;
    const text = arrow === '' ? title : fit(title, Math.min(widthOf(title), room - 1)) + arrow;
    return [
      {
        text: fit(text, room, align),
        tone: chosen === id ? 'title' : key === sort[0] && key !== undefined ? 'strong' : 'muted',
      },
    ];
  });
  const titles = [{ text: ' '.repeat(LEAD) }, ...placeCells(layout, cells, undefined)];
  return [...fitLine(titles, layout.width - widthOf(note)), { text: note, tone: 'notice' }];
}

/** Returns the table column at a column of the terminal, counted from the table's edge; null between two columns. */
export function columnAt<T>({ columns, widths, pinned, pan }: TableLayout<T>, at: number): string | null {
  let from = LEAD;
  for (const [index, { id }] of columns.entries()) {
    const width = widths[index] ?? 0;
    if (width === 0) continue;
    const shown = index >= pinned ? from - pan : from;
    if (at >= shown && at < shown + width) return id;
    from += width + GAP;
  }
  return null;
}

export interface RowHighlight {
  readonly selected: boolean;
  readonly marked: boolean;
  readonly bookmarked?: boolean;
  /** Finds the matches to highlight. */
  readonly find: FindSpans | undefined;
  /** True if all columns show matches, not only the searched ones. */
  readonly findsAll: boolean;
}

export function rowLine<T>(
  layout: TableLayout<T>,
  row: T,
  { selected, marked, bookmarked = false, find, findsAll }: RowHighlight,
): Line {
  const ground: Ground | undefined = selected ? 'selected' : marked ? 'marked' : undefined;
  const cells = layout.columns.map((column, index): readonly Run[] => {
    const room = layout.widths[index] ?? 0;
    if (room === 0) return [];
    const { text, tone } = column.cell(row);
    const shown = fit(clean(text), Math.min(room, Math.max(0, widthOf(clean(text)))));
    const run = { text: shown, tone: on(tone, ground) };
    const found = findsAll || column.searched === true ? highlight(run, find, 'hit') : [run];
    const isColoured = column.isMessage === true && tone === undefined && found.length === 1;
    return isColoured ? messageRuns(shown).map((piece) => ({ ...piece, tone: on(piece.tone, ground) })) : found;
  });
  const sign = bookmarked ? BOOKMARKED : ' ';
  const lead: Run = {
    text: `${selected ? MARK : ' '}${marked ? MARKED : sign}`,
    tone: on(selected ? 'accent' : 'notice', ground),
  };
  return fitLine([lead, ...placeCells(layout, cells, ground)], layout.width, on('plain', ground));
}

/** Renders the place of a row that is not loaded; the selected one says why. */
export function missingLine<T>({ width }: TableLayout<T>, isSelected: boolean, note: string): Line {
  const ground: Ground | undefined = isSelected ? 'selected' : undefined;
  const text = isSelected ? `… ${note}` : '…';
  const lead: Run = { text: isSelected ? `${MARK} ` : '  ', tone: on('accent', ground) };
  return fitLine([lead, { text, tone: on('muted', ground) }], width, on('plain', ground));
}

/** Returns a cached line, or builds it. */
export type LineCache = (id: number, inputs: readonly unknown[], build: () => Line) => Line;

/**
 * Creates a cache of lines. A line with unchanged inputs is not built again; a line that looks the same stays the same
 * object and is not painted again.
 */
export function createLineCache(): LineCache {
  const known = new Map<number, { readonly inputs: readonly unknown[]; readonly line: Line }>();
  return (id, inputs, build) => {
    const before = known.get(id);
    const isSame = before?.inputs.length === inputs.length && inputs.every((part, at) => part === before.inputs[at]);
    if (before !== undefined && isSame) return before.line;
    const built = build();
    const line = before !== undefined && sameLine(before.line, built) ? before.line : built;
    if (known.size > REMEMBERED_MAX) known.clear();
    known.set(id, { inputs, line });
    return line;
  };
}

/** Ticks of the scroll bar, the most important first. */
const TICKS: readonly (Run & { readonly tone: Tone })[] = [
  { text: '•', tone: 'notice' },
  { text: '▪', tone: 'worst' },
  { text: '▪', tone: 'bad' },
  { text: '╴', tone: 'warning' },
];

/** Share of the scroll bar above which a tick is too frequent to be shown. */
const TICKED_MOST = 1 / 3;

/**
 * Returns a tick for each row of the scroll bar: marks, and the tones that are rare. In a storm of errors every row
 * would have a tick, which would tell nothing. `extent` is the place of `rows` in the whole list.
 */
export function barTicks<T>(
  rows: readonly T[],
  { start, length }: Extent,
  height: number,
  toneOf: (row: T) => Tone | undefined,
): readonly (Run | undefined)[] {
  const found = new Array<number>(height).fill(TICKS.length);
  for (const [index, row] of rows.entries()) {
    const tone = toneOf(row);
    if (tone === undefined) continue;
    const rank = TICKS.findIndex((tick) => tick.tone === tone);
    const at = Math.floor(((start + index) * height) / length);
    if (rank !== -1 && rank < (found[at] ?? 0)) found[at] = rank;
  }
  const often = (rank: number): boolean => found.filter((other) => other === rank).length > height * TICKED_MOST;
  const shown = TICKS.map((tick, rank) => (rank > 0 && often(rank) ? undefined : tick));
  return found.map((rank) => shown[rank]);
}

/** Renders a scroll bar: the visible part of the list, and the ticks. One run for each row of the window. */
export function scrollbar(
  total: number,
  offset: number,
  height: number,
  ticks: readonly (Run | undefined)[] = [],
): Run[] {
  if (total <= height || height < 2) return Array.from({ length: height }, () => ({ text: ' ' }));
  const size = Math.max(1, Math.round((height * height) / total));
  const from = Math.round(((height - size) * offset) / (total - height));
  return Array.from({ length: height }, (_, row) => {
    const isThumb = row >= from && row < from + size;
    // No track, because a line down the whole screen would distract.
    const tick = ticks[row];
    return isThumb ? { text: '┃', tone: tick?.tone ?? 'faint' } : (tick ?? { text: ' ' });
  });
}
