// The level filter: "this level or worse". Levels are numbered from the worst.

/** Numbers of levels; smaller ones are worse. */
export const ERROR_LEVEL = 4;
export const WARN_LEVEL = 5;

/** The steps of the filter, from the worst level to all levels. */
const STEPS: readonly (number | undefined)[] = [3, 4, 5, 6, 7, undefined];

/** The next step of the filter, or with -1 the one before. */
export function stepLevel(levelMax: number | undefined, by: 1 | -1): number | undefined {
  const index = STEPS.indexOf(levelMax);
  return STEPS[Math.max(0, Math.min((index === -1 ? STEPS.length - 1 : index) + by, STEPS.length - 1))];
}
