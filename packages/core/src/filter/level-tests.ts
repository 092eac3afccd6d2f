// Levels in filters. Smaller numbers are worse, so `level:>=warn`, "warn or worse", compares the numbers with <=.
import { LEVELS } from '../base/level.ts';
import type { Comparison, Test } from './filter.ts';
import { compare } from './number.ts';

/** Names of levels in filters, by number. */
export const LEVEL_NAMES: readonly string[] = LEVELS.map((name) => name.toLowerCase());

/** Comparison of severities -> comparison of numbers, and back. */
export const FLIPPED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const satisfies Record<Comparison, Comparison>;

/** Numbers of the levels that a test of `level` admits. */
export function levelsOf(test: Test): readonly number[] {
  const levels = [...LEVELS.keys()];
  switch (test.op) {
    case 'compare':
      return levels.filter((level) => compare(level, test.operator, test.number));
    case 'equals':
      return levels.filter((level) => test.values.includes(LEVEL_NAMES[level] ?? ''));
    default:
      return levels;
  }
}
