// Decides which segments become one.
import { SEGMENT_BYTES, SEGMENT_LINES } from '../segments/segment.ts';
import type { SegmentHead } from './segment-table.ts';

/** Most segments that become one: more would hold the writer for too long. */
export const MERGED_MAX = 1_000;
/** Number of neighbours of one size that become one. Each line is packed again once for each such step. */
const FAN_IN = 8;

/** Bytes of text in a segment under a bound of the data in bytes; 0 is no bound. Retention removes whole segments. */
export const segmentBytesWithin = (maxBytes: number): number =>
  maxBytes === 0 ? SEGMENT_BYTES : Math.min(SEGMENT_BYTES, Math.floor(maxBytes / 16));

/** Segments that become one, and whether nothing more can be added. */
export interface Take {
  readonly heads: readonly SegmentHead[];
  readonly isFull: boolean;
}

/** The first segments that follow each other without a damaged one. */
export function soundRun(heads: readonly SegmentHead[], damaged: ReadonlySet<number>): readonly SegmentHead[] {
  const from = heads.findIndex(({ id }) => !damaged.has(id));
  if (from < 0) return [];
  const to = heads.findIndex(({ id }, i) => i > from && damaged.has(id));
  return heads.slice(from, to < 0 ? undefined : to);
}

/** Takes segments from the first on, as many as one can hold. They arrived on one day and are in one partition. */
export function takeRun(heads: readonly SegmentHead[], maxBytes = SEGMENT_BYTES): Take {
  let [n, bytes] = [0, 0];
  const [first] = heads;
  for (const [i, head] of heads.entries()) {
    n += head.n;
    bytes += head.bytes;
    const isBeside = head.day === first?.day && head.partition === first.partition;
    const fits = n <= SEGMENT_LINES && bytes <= maxBytes && i < MERGED_MAX && isBeside;
    if (!fits && i > 0) return { heads: heads.slice(0, i), isFull: true };
  }
  return { heads, isFull: n >= SEGMENT_LINES || bytes >= maxBytes };
}

/** Size class of a segment: 0 is an eighth of a full one or more; each further class is an eighth of the one before. */
function sizeClass({ n, bytes }: SegmentHead, maxBytes: number): number {
  const fill = Math.max(n / SEGMENT_LINES, bytes / maxBytes);
  return Math.max(0, Math.ceil(Math.log(1 / fill) / Math.log(FAN_IN)) - 1);
}

const SMALLEST_CLASS = 5;
const NONE: ReadonlySet<number> = new Set();

/**
 * Finds packed neighbours of one day to be merged: eight or more of at most one size class, of which none has more than
 * half of the lines, and none is damaged. Undefined where there are none.
 */
export function findMerge(
  heads: readonly SegmentHead[],
  maxBytes = SEGMENT_BYTES,
  damaged: ReadonlySet<number> = NONE,
): readonly SegmentHead[] | undefined {
  for (let size = SMALLEST_CLASS; size > 0; size -= 1) {
    for (let from = 0; from < heads.length; ) {
      const run = smallRun(heads, { from, size, maxBytes, damaged });
      if (run.length >= FAN_IN && isBalanced(run)) return run;
      from += Math.max(1, run.length);
    }
  }
  return undefined;
}

/** The packed neighbours from a place on that are of a class or smaller, as many as one segment can hold. */
function smallRun(
  heads: readonly SegmentHead[],
  { from, size, maxBytes, damaged }: { from: number; size: number; maxBytes: number; damaged: ReadonlySet<number> },
): readonly SegmentHead[] {
  let to = from;
  for (let head = heads[to]; head !== undefined; head = heads[to]) {
    if (head.packed === 0 || damaged.has(head.id) || Math.min(sizeClass(head, maxBytes), SMALLEST_CLASS) < size) break;
    to += 1;
  }
  return to === from ? [] : takeRun(heads.slice(from, to), maxBytes).heads;
}

function isBalanced(run: readonly SegmentHead[]): boolean {
  const [all, largest] = [run.reduce((sum, { n }) => sum + n, 0), run.reduce((most, { n }) => Math.max(most, n), 0)];
  return largest * 2 <= all;
}
