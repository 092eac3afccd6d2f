// The level filter: "this level or worse". Levels are numbered from the worst.
import { levelName } from '@quarterdeck/core';

/** The steps of the filter, from all levels through the worst to all but the least. */
const STEPS: readonly (number | null)[] = [null, 3, 4, 5, 6, 7];

/** The next step of the filter, or with -1 the one before. */
export function stepLevel(levelMax: number | null, by: 1 | -1): number | null {
  const index = STEPS.indexOf(levelMax);
  return STEPS[(index + by + STEPS.length) % STEPS.length] ?? null;
}

/** The filter in words; undefined where it lets everything through. */
export const levelFilterText = (levelMax: number | null): string | undefined =>
  levelMax === null ? undefined : `${levelName(levelMax)} or worse`;
