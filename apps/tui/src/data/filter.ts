// What every filter that the server applies has in common. Pure.

/** A filter with something changed; what is undefined or the empty text is left out. */
export function withChange<F extends object>(filter: F, change: Readonly<Record<string, unknown>>): F {
  const entries = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as F;
}
