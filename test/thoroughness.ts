// Extent of the tests: enough for every change, or complete (`pnpm test:all`).

const EXTENTS = ['default', 'postgresql', 'all', 'rest'] as const;

/**
 * Tests of this run, QUARTERDECK_TESTS: those of `pnpm test`; of these the ones through HTTP, on PostgreSQL; all, with
 * every combination and on both databases; or those of `all` that prove more than the default run has proved already.
 */
export const EXTENT: (typeof EXTENTS)[number] = (() => {
  const given = process.env['QUARTERDECK_TESTS'] ?? 'default';
  const extent = EXTENTS.find((name) => name === given);
  if (extent === undefined) throw new Error(`QUARTERDECK_TESTS is one of ${EXTENTS.join(', ')}, not ${given}.`);
  return extent;
})();

/** True where every combination is tried, and both databases wherever there is a choice. */
export const IS_THOROUGH = EXTENT === 'all' || EXTENT === 'rest';

/** Picks one of two numbers of rounds, texts or requests. */
export const atMost = (usually: number, thorough: number): number => (IS_THOROUGH ? thorough : usually);

/**
 * Picks every third value, beginning with the one at `start`: fields or endpoints with different starts cover all
 * values together. The thorough run tries all values.
 */
export const everyThird = <T>(values: readonly T[], start: number): readonly T[] => everyNth(3, values, start);

/** Like {@link everyThird}, with every `n`th value, where many tests together try each value often. */
export const everyNth = <T>(n: number, values: readonly T[], start: number): readonly T[] =>
  IS_THOROUGH ? values : values.filter((_, i) => i % n === start % n);

/** Kills of a test that kills programs at random moments: QUARTERDECK_TEST_FAULTS. `pnpm faults` asks for more. */
export const FAULTS = Number(process.env['QUARTERDECK_TEST_FAULTS'] ?? atMost(5, 50));
