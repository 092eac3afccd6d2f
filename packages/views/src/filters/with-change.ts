// Helper for filters. Pure.

/** Returns a filter with changed fields. Undefined and empty fields are removed. */
export function withChange<F extends object>(filter: F, change: Readonly<Record<string, unknown>>): F {
  const entries = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as F;
}
