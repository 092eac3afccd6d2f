/**
 * Returns the list, and throws when it is empty: tests over a computed list must not pass because the list has become
 * empty.
 */
export function nonEmpty<T extends readonly unknown[]>(list: T): T {
  if (list.length === 0) throw new Error('The list of cases is empty, so the test would prove nothing.');
  return list;
}
