// Helpers for rows of the demo: lookup and changes. Pure.
import { refusal } from '@quarterdeck/sdk/testing';

/**
 * Returns the row with the id of the path.
 * @throws the refusal `not_found` if there is none.
 */
export function byId<T extends { readonly id: number }>(
  rows: readonly T[],
  { params }: { readonly params: { readonly id: number } },
): T {
  const found = rows.find(({ id }) => id === params.id);
  if (found === undefined) throw refusal('not_found');
  return found;
}

/** Replaces one row. */
export const withRow = <T extends { readonly id: number }>(rows: readonly T[], row: T): T[] =>
  rows.map((one) => (one.id === row.id ? row : one));

/** Returns a row with the fields of a change. */
export const withFields = <T extends object>(row: T, change: object): T => ({ ...row, ...change });

/** Removes one row. */
export const withoutRow = <T extends { readonly id: number }>(rows: readonly T[], id: number): T[] =>
  rows.filter((row) => row.id !== id);

/** Returns an unused id. */
export const nextId = (rows: readonly { readonly id: number }[]): number =>
  Math.max(0, ...rows.map(({ id }) => id)) + 1;
