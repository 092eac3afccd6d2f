// Extent of the tests: enough for every change, or complete (`pnpm test:all`).

/** True when QUARTERDECK_TEST_ALL requests every combination, and both databases wherever there is a choice. */
export const IS_THOROUGH = process.env['QUARTERDECK_TEST_ALL'] === '1';

/** Picks one of two numbers of rounds, texts or requests. */
export const atMost = (usually: number, thorough: number): number => (IS_THOROUGH ? thorough : usually);

/**
 * Picks every third value, beginning with the one at `start`: fields or endpoints with different starts cover all
 * values together. The thorough run tries all values.
 */
export const everyThird = <T>(values: readonly T[], start: number): readonly T[] =>
  IS_THOROUGH ? values : values.filter((_, i) => i % 3 === start % 3);

/** Kills of a test that kills programs at random moments: QUARTERDECK_TEST_FAULTS. */
export const FAULTS = Number(process.env['QUARTERDECK_TEST_FAULTS'] ?? atMost(5, 200));
