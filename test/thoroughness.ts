// How much the tests try: enough for every change, or everything (`pnpm test:all`).

/** Whether QUARTERDECK_TEST_ALL asks for every combination, and for both databases wherever there is a choice. */
export const IS_THOROUGH = process.env['QUARTERDECK_TEST_ALL'] === '1';

/** One of two numbers of rounds, texts or requests. */
export const atMost = (usually: number, thorough: number): number => (IS_THOROUGH ? thorough : usually);

/**
 * Every third of some values, beginning with the one at `start`: fields or endpoints with different starts try all values
 * together. In the thorough run each of them tries all.
 */
export const everyThird = <T>(values: readonly T[], start: number): readonly T[] =>
  IS_THOROUGH ? values : values.filter((_, i) => i % 3 === start % 3);
