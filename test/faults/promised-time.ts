// Limits of time. Where `pnpm faults --short` runs, other programs use the processors too: there a limit only tells a
// broken server from a slow machine, and the measured times are printed.
import { readFileSync } from 'node:fs';

const PATIENCE = Number(process.env['QUARTERDECK_TEST_PATIENCE'] ?? 1);

/** Factor by which this process takes longer until now because other programs had the processors. */
function slowdown(): number {
  const [ran = 1, waited = 0] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
  return (ran + waited) / ran;
}

/** The limit for a promised share. The short form only tells a broken server from a slow machine. */
export const limitShare = (promised: number): number => promised / PATIENCE;

/** The limit for a promised time, in milliseconds. Call it once the time is measured. */
export const limitMs = (promisedMs: number): number =>
  PATIENCE === 1 ? promisedMs : promisedMs * PATIENCE * slowdown();
