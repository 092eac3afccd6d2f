// Limits of time. Where `pnpm faults --short` runs, other programs use the processors too: there a limit only tells a
// broken server from a slow machine, and the measured times are printed.

const PATIENCE = Number(process.env['QUARTERDECK_TEST_PATIENCE'] ?? 1);

/** The limit for a promised time, in milliseconds. */
export const limitMs = (promisedMs: number): number => promisedMs * PATIENCE;
