// Finds rows that moved up or down together, so that the terminal moves them itself.
import { blankRow, type Row, sameCell } from './row.ts';

/** Rows `top` to `bottom` (inclusive) move up by `by`, or down if it is negative. Blank rows come in. */
export interface Scroll {
  readonly top: number;
  readonly bottom: number;
  readonly by: number;
}

/** Cost of a scroll in bytes; it must save more than that. */
const SCROLL_COST = 24;
/** Maximum number of shifts to try; another one saves less than the search costs. */
const SHIFTS_MAX = 2;

/** Approximate cost in bytes of a move to another cell, and of another style. */
const JUMP_COST = 6;
const STYLE_COST = 10;

/** Approximates the bytes that turn one row into another. */
function costOf(a: Row, b: Row): number {
  if (a === b) return 0;
  let cost = 0;
  let isOpen = false;
  let style = -1;
  for (let column = 0; column < b.texts.length; column += 1) {
    if (sameCell(a, b, column)) {
      isOpen = false;
      continue;
    }
    if (!isOpen) cost += JUMP_COST;
    const wanted = b.styles[column] ?? 0;
    if (wanted !== style) cost += STYLE_COST;
    cost += 1;
    isOpen = true;
    style = wanted;
  }
  return cost;
}

const texts = new WeakMap<Row, string>();

function textOf(row: Row): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text = row.texts.join('');
  texts.set(row, text);
  return text;
}

/** Returns the shifts that explain most changed rows, the best first. */
function likelyShifts(before: readonly Row[], after: readonly Row[]): number[] {
  const places = new Map<string, number[]>();
  for (const [index, row] of before.entries()) {
    const text = textOf(row);
    if (text.trim() === '') continue;
    const found = places.get(text);
    if (found === undefined) places.set(text, [index]);
    else found.push(index);
  }
  const votes = new Map<number, number>();
  for (const [index, row] of after.entries()) {
    if (row === before[index]) continue;
    for (const place of places.get(textOf(row)) ?? []) {
      if (place !== index) votes.set(place - index, (votes.get(place - index) ?? 0) + 1);
    }
  }
  return [...votes]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHIFTS_MAX)
    .map(([shift]) => shift);
}

/** Returns the range of rows that gains most by this shift, and the number of cells gained. */
function bestStretch(before: readonly Row[], after: readonly Row[], shift: number): { scroll: Scroll; gain: number } {
  const rows = after.length;
  const blank = blankRow(after[0]?.texts.length ?? 0);
  const plain = after.map((row, index) => costOf(before[index] ?? blank, row));
  let best = { scroll: { top: 0, bottom: 0, by: shift }, gain: 0 };
  let from = 0;
  let sum = 0;
  for (let index = Math.max(0, -shift); index < Math.min(rows, rows - shift); index += 1) {
    const row = after[index] as Row;
    if (sum <= 0) {
      sum = 0;
      from = index;
    }
    sum += (plain[index] ?? 0) - costOf(before[index + shift] ?? blank, row);
    // Blank rows that come in must be written whole.
    const first = shift > 0 ? index + 1 : from + shift;
    let loss = 0;
    for (let come = first; come < first + Math.abs(shift); come += 1) {
      loss += costOf(blank, after[come] ?? blank) - (plain[come] ?? 0);
    }
    const gain = sum - loss;
    if (gain > best.gain) {
      const top = shift > 0 ? from : from + shift;
      best = { scroll: { top, bottom: shift > 0 ? index + shift : index, by: shift }, gain };
    }
  }
  return best;
}

/** Returns the scroll that saves most; null if none is worth it. */
export function findScroll(before: readonly Row[], after: readonly Row[]): Scroll | null {
  const found = likelyShifts(before, after).map((shift) => bestStretch(before, after, shift));
  const best = found.sort((a, b) => b.gain - a.gain)[0];
  return best !== undefined && best.gain > SCROLL_COST ? best.scroll : null;
}

/** Returns the rows after a scroll. */
export function applyScroll(rows: readonly Row[], { top, bottom, by }: Scroll): Row[] {
  const blank = blankRow(rows[0]?.texts.length ?? 0);
  return rows.map((row, index) => {
    if (index < top || index > bottom) return row;
    const from = index + by;
    return from < top || from > bottom ? blank : (rows[from] as Row);
  });
}

/**
 * Returns the sequence of a scroll. The current style must be the default. The cursor ends in the first cell of the
 * screen.
 */
export function scrollSequence({ top, bottom, by }: Scroll): string {
  const margins = `\u001B[${top + 1};${bottom + 1}r`;
  // Line feed in the last row and reverse index in the first row work on every terminal.
  return by > 0
    ? `${margins}\u001B[${bottom + 1}H${'\n'.repeat(by)}\u001B[r`
    : `${margins}\u001B[${top + 1}H${'\u001BM'.repeat(-by)}\u001B[r`;
}
