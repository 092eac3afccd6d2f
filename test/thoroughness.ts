// How much the tests try: enough for every change, or everything (`pnpm test:all`).

/** Whether QUARTERDECK_TEST_ALL asks for every combination, and for both databases wherever there is a choice. */
export const IS_THOROUGH = process.env['QUARTERDECK_TEST_ALL'] === '1';

/** One of two numbers of rounds, texts or requests. */
export const atMost = (usually: number, thorough: number): number => (IS_THOROUGH ? thorough : usually);
