// The rows of a long list around those in view. Pure.
import type { QueryHandle } from './query.ts';
import { type Block, type LoadedRows, neededBlock, type View } from './row-window.ts';

/** Maximum number of rows that a filter or an order of the list itself reads: the largest page of the server. */
export const ALL_MAX = 10_000;
/** Loaded rows above which the interval of reading again is longer, and how much longer. */
export const LONG_ROWS = 1_000;
export const LONG_FACTOR = 4;

/** The rows in view. `needsAll`: the filter or the order of the list needs all rows. */
export type NeededView = View & { readonly needsAll: boolean };

/** A list of which only some rows are loaded. */
export interface PartialRows {
  /** Index of the first loaded row. */
  readonly start: number;
  /** Rows of the whole list. */
  readonly length: number;
  /** Why rows in view are missing: they are being read, or could not be read. */
  readonly note: string;
  /** Takes the rows in view. */
  readonly onView?: (view: NeededView) => void;
  /** Reads all rows; reports the number of rows read so far. Absent where the screen reads them itself. */
  readonly readAll?: (progress: (read: number) => void) => Promise<readonly unknown[]>;
}

/** The rows of a list, as far as they are loaded. */
export interface Rows<T> extends QueryHandle<LoadedRows<T>> {
  /** Empty before the first answer. */
  readonly rows: readonly T[];
  /** Number of rows on the server; 0 before the first answer. */
  readonly total: number;
  readonly partial: PartialRows;
}

/** The block that a view needs and that is not loaded; null if there is none. */
export function missingBlock<T>(
  { rows, start, total }: LoadedRows<T>,
  { needsAll, ...view }: NeededView,
): Block | null {
  if (needsAll) return rows.length < Math.min(ALL_MAX, total) ? { from: 0, to: ALL_MAX } : null;
  return neededBlock({ start, end: start + rows.length, length: total }, view);
}
