// Rows of lines. The ids of lines are opaque text, and those of rows are numbers. Pure.
import type { Line } from '@quarterdeck/sdk';

/** A line as a row. */
export interface LineRow {
  readonly id: number;
  readonly line: Line;
}

let lastId = 0;

/** Numbers a line. */
export function rowOf(line: Line): LineRow {
  lastId += 1;
  return { id: lastId, line };
}

/** Rows of the lines that are not among `known`, each line once. */
function freshRows(lines: readonly Line[], known: readonly LineRow[]): LineRow[] {
  const seen = new Set(known.map(({ line }) => line.id));
  return lines.filter(({ id }) => !seen.has(id) && seen.add(id)).map(rowOf);
}

/** Brings rows in the order of time. Rows of the same time keep their order. */
function inOrder(rows: LineRow[]): readonly LineRow[] {
  const isSorted = rows.every(({ line }, index) => (rows[index - 1]?.line.time ?? 0) <= line.time);
  return isSorted ? rows : rows.sort((a, b) => a.line.time - b.line.time);
}

/** Appends lines in the order of arrival; the same rows if all are known. */
export function appendLines(rows: readonly LineRow[], lines: readonly Line[]): readonly LineRow[] {
  const fresh = freshRows(lines, rows);
  return fresh.length === 0 ? rows : inOrder([...rows, ...fresh]);
}

/** Puts a page of older lines, the newest first, before the rows. */
export const prependLines = (page: readonly Line[], rows: readonly LineRow[]): readonly LineRow[] =>
  inOrder([...freshRows(page.toReversed(), rows), ...rows]);

/**
 * Puts a page of the newest lines, the newest first, between the rows. Rows that are older stay only if the page
 * overlaps and `isWhole`: no line is missing among them.
 */
export function joinNewest(
  rows: readonly LineRow[],
  page: readonly Line[],
  isWhole: boolean,
): { readonly rows: readonly LineRow[]; readonly overlaps: boolean } {
  const known = new Map(rows.map((row) => [row.line.id, row]));
  const joined = page.toReversed().map((line) => known.get(line.id) ?? rowOf(line));
  const inPage = new Set(page.map(({ id }) => id));
  const others = rows.filter(({ line }) => !inPage.has(line.id));
  const overlaps = others.length < rows.length;
  const newest = page[0]?.time ?? 0;
  // The answer may be older than the last events.
  const newer = others.filter(({ line }) => line.time >= newest);
  const older = overlaps && isWhole ? others.filter(({ line }) => line.time < newest) : [];
  return { rows: inOrder([...older, ...joined, ...newer]), overlaps };
}
