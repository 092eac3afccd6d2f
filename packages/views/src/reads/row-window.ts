// The loaded part of a long list. Moves outside of it ask for the block that is needed; memory stays bounded. Pure.
import type { Page } from '@quarterdeck/sdk';

/** The loaded rows, which begin at row `start` of the list. */
export interface RowWindow<T> {
  readonly rows: readonly T[];
  readonly start: number;
}

/** A range of rows, `to` exclusive. */
export interface Block {
  readonly from: number;
  readonly to: number;
}

/** The loaded rows of a list, and the number of rows on the server. */
export interface LoadedRows<T> extends RowWindow<T> {
  readonly total: number;
}

/** Reads a block of a list. */
export type ReadBlock<T> = (block: Block, signal: AbortSignal) => Promise<Page<T>>;

/** The visible rows: `height` rows from row `offset`. */
export interface View {
  readonly offset: number;
  readonly height: number;
}

export const BLOCK_ROWS = 100;
/** Maximum number of rows that stay loaded. */
export const WINDOW_MAX = 1_000;

/**
 * Returns the block to load for a view: the rows in view, and a screen before and after them, as far as they are not
 * loaded; null if they are. A block far from the loaded rows is aligned, so that a held key asks for it once.
 */
export function neededBlock(
  { start, end, length }: { readonly start: number; readonly end: number; readonly length: number },
  { offset, height }: View,
  size: number = BLOCK_ROWS,
): Block | null {
  const low = Math.max(0, Math.min(offset, length) - height);
  const high = Math.min(length, offset + 2 * height);
  if (low >= high || (low >= start && high <= end)) return null;
  const rows = Math.max(size, 2 * height);
  if (start < end && low >= start && low <= end) return { from: end, to: Math.min(length, end + rows) };
  if (start < end && high >= start && high <= end) return { from: Math.max(0, start - rows), to: start };
  const from = Math.floor(low / size) * size;
  return { from, to: Math.min(length, Math.max(from + 2 * size, Math.ceil(high / size) * size)) };
}

/**
 * Returns the number of rows of a list after an answer. The count of the server can be too large, because rows move
 * while it reads; an empty block, or fewer rows than the `most` of a read of everything, is the end.
 */
export function lengthAfter(count: number, { from, to }: Block, got: number, most: number): number {
  const isEverything = from === 0 && to === most;
  if (got === 0) return Math.min(count, from);
  return isEverything && got < most ? got : count;
}

/**
 * Adds a block to the loaded rows, or replaces them where the two do not touch. The block tells the present places:
 * where a row is in both, the other rows move along with it. Of more than {@link WINDOW_MAX} rows the farthest go.
 */
export function joinBlock<T>(
  window: RowWindow<T>,
  block: RowWindow<T>,
  idOf: (row: T) => number,
  max: number = WINDOW_MAX,
): RowWindow<T> {
  const fresh = new Map(block.rows.map((row, index) => [idOf(row), index]));
  const shared = window.rows.findLastIndex((row) => fresh.has(idOf(row)));
  const anchor = window.rows[shared];
  const moved = anchor === undefined ? 0 : block.start + (fresh.get(idOf(anchor)) ?? 0) - (window.start + shared);
  const start = window.start + moved;
  const end = block.start + block.rows.length;
  if (window.rows.length === 0 || start > end || start + window.rows.length < block.start) return block;
  const isOld = (row: T): boolean => !fresh.has(idOf(row));
  const before = window.rows.slice(0, Math.max(0, block.start - start)).filter(isOld);
  const after = window.rows.slice(Math.max(0, end - start)).filter(isOld);
  const room = Math.max(0, max - block.rows.length);
  const fits = Math.min(room, block.start, before.length);
  const front = before.slice(before.length - fits);
  const back = after.slice(0, room - fits);
  return { rows: [...front, ...block.rows, ...back], start: block.start - fits };
}
