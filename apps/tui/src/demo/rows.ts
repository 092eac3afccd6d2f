// Helpers for rows of the demo server: pages, lookup, changes. Pure.
import { type DemoCall, DemoRefusal } from './respond.ts';

/** Returns a page of rows. */
export function page<T>(rows: readonly T[], query: DemoCall['query']): { data: T[]; meta: { count: number } } {
  const { page: number, page_size: size, start, end } = query as Record<string, number | undefined>;
  const from = start ?? ((number ?? 1) - 1) * (size ?? 20);
  return { data: rows.slice(from, end ?? from + (size ?? 20)), meta: { count: rows.length } };
}

/**
 * Returns the row with the id of the path.
 * @throws DemoRefusal if there is none.
 */
export function byId<T extends { readonly id: number }>(rows: readonly T[], { params }: DemoCall): T {
  const found = rows.find(({ id }) => id === params['id']);
  if (found === undefined) throw new DemoRefusal('not_found');
  return found;
}

/** Replaces one row. */
export const withRow = <T extends { readonly id: number }>(rows: readonly T[], row: T): T[] =>
  rows.map((one) => (one.id === row.id ? row : one));

/** Removes one row. */
export const withoutRow = <T extends { readonly id: number }>(rows: readonly T[], id: number): T[] =>
  rows.filter((row) => row.id !== id);

/** Returns an unused id. */
export const nextId = (rows: readonly { readonly id: number }[]): number =>
  Math.max(0, ...rows.map(({ id }) => id)) + 1;
