import { isDeepStrictEqual } from 'node:util';
import type { Facts } from './facts/collect.ts';

/** Returns the facts to report: all when the server has none yet, else those that differ from `known`. */
export function changedFacts(known: Facts | undefined, now: Facts): Partial<Facts> {
  if (known === undefined) return now;
  const changed = Object.entries(now).filter(([name, value]) => !isDeepStrictEqual(value, known[name as keyof Facts]));
  return Object.fromEntries(changed);
}
