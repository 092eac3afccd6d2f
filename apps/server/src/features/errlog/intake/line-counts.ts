// Counts of log lines by level and outcome. They travel from the thread that stores lines.
import { LEVELS } from '@quarterdeck/core/plain';
import type { LineColumns } from '@quarterdeck/store/line-columns';

/** Lines by level, the first level first. */
type ByLevel = number[];

/** Log lines of a while, or since the start. */
export interface LineCounts {
  /** Lines that are durable now. */
  readonly stored: ByLevel;
  /** Lines of a batch that was stored before: it came again with the same Idempotency-Key. */
  readonly repeated: ByLevel;
  /** Lines refused because their source had reached its quota. */
  readonly overQuota: ByLevel;
  /** Lines that could not be read, so that they have no level. */
  unreadable: number;
}

/** Outcomes of lines with a level. */
const OUTCOMES = ['stored', 'repeated', 'overQuota'] as const;

const zeros = (): ByLevel => new Array<number>(LEVELS.length).fill(0);

export const noLines = (): LineCounts => ({ stored: zeros(), repeated: zeros(), overQuota: zeros(), unreadable: 0 });

/** Adds lines with one outcome. */
export function countLines(
  counts: LineCounts,
  outcome: (typeof OUTCOMES)[number],
  { levels }: Pick<LineColumns, 'levels'>,
): void {
  const byLevel = counts[outcome];
  for (const level of levels) byLevel[level] = (byLevel[level] ?? 0) + 1;
}

export function addCounts(counts: LineCounts, others: LineCounts): void {
  for (const outcome of OUTCOMES) {
    for (const [level, n] of others[outcome].entries()) counts[outcome][level] = (counts[outcome][level] ?? 0) + n;
  }
  counts.unreadable += others.unreadable;
}
