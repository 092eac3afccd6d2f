import { isDeepStrictEqual } from 'node:util';
import type { Facts } from './facts/collect.ts';

/** What there is to report: everything when the server has nothing yet, else the facts that are not as it has them. */
export function changedFacts(known: Facts | undefined, now: Facts): Partial<Facts> {
  if (known === undefined) return now;
  const changed = Object.entries(now).filter(([name, value]) => !isDeepStrictEqual(value, known[name as keyof Facts]));
  return Object.fromEntries(changed);
}
