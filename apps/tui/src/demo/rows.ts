// Rows of the made-up server: pages, one by its id, changes. Pure.
import { type DemoCall, DemoRefusal } from './respond.ts';

/** A page of rows, by the paging of the lists. */
export function page<T>(rows: readonly T[], query: DemoCall['query']): { data: T[]; meta: { count: number } } {
  const { page: number, page_size: size, start, end } = query as Record<string, number | undefined>;
  const from = start ?? ((number ?? 1) - 1) * (size ?? 20);
  return { data: rows.slice(from, end ?? from + (size ?? 20)), meta: { count: rows.length } };
}

/** The row of a path, or the refusal that it is not there. */
export function byId<T extends { readonly id: number }>(rows: readonly T[], { params }: DemoCall): T {
  const found = rows.find(({ id }) => id === params['id']);
  if (found === undefined) throw new DemoRefusal('not_found');
  return found;
}

/** The list with one row changed. */
export const withRow = <T extends { readonly id: number }>(rows: readonly T[], row: T): T[] =>
  rows.map((one) => (one.id === row.id ? row : one));

/** The list without one row. */
export const withoutRow = <T extends { readonly id: number }>(rows: readonly T[], id: number): T[] =>
  rows.filter((row) => row.id !== id);

/** An id that no row has. */
export const nextId = (rows: readonly { readonly id: number }[]): number =>
  Math.max(0, ...rows.map(({ id }) => id)) + 1;
