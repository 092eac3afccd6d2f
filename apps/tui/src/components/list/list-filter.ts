// Facets and order of lists. Pure.

import type { SortKey } from '@quarterdeck/views/saved-views';
import { type Column, cellText } from './column.ts';

/** A property that divides rows into groups. */
export interface Facet<T> {
  readonly id: string;
  readonly title: string;
  readonly value: (row: T) => string;
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;

/** Returns the rows in the chosen order. The sort is stable. */
export function sortRows<T>(rows: readonly T[], columns: readonly Column<T>[], sort: readonly SortKey[]): readonly T[] {
  const keys = sort.flatMap(({ id, down }) => {
    const column = columns.find((candidate) => candidate.id === id);
    return column === undefined
      ? []
      : [{ of: column.value ?? ((row: T) => cellText(column, row)), sign: down ? -1 : 1 }];
  });
  if (keys.length === 0) return rows;
  const keyed = rows.map((row) => ({ row, values: keys.map(({ of }) => of(row)) }));
  keyed.sort((a, b) => {
    for (const [index, { sign }] of keys.entries()) {
      const order = compare(a.values[index] ?? '', b.values[index] ?? '');
      if (order !== 0) return order * sign;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

/** Returns the rows that pass the facets, except `except`. */
function byFacets<T>(
  rows: readonly T[],
  facets: readonly Facet<T>[],
  chosen: Readonly<Record<string, readonly string[]>>,
  except?: string,
): readonly T[] {
  const active = facets.filter(({ id }) => id !== except && (chosen[id]?.length ?? 0) > 0);
  return active.length === 0
    ? rows
    : rows.filter((row) => active.every(({ id, value }) => chosen[id]?.includes(value(row))));
}

/** Returns the rows that pass the filter and the facets. */
export function filterRows<T>(
  rows: readonly T[],
  test: ((row: T) => boolean) | null,
  facets: readonly Facet<T>[],
  chosen: Readonly<Record<string, readonly string[]>>,
): readonly T[] {
  const passing = byFacets(rows, facets, chosen);
  return test === null ? passing : passing.filter(test);
}

/** One value of a facet. */
export interface FacetValue {
  readonly value: string;
  /** Key that the choice uses, if it differs from `value`. */
  readonly key?: string;
  readonly count: number;
  readonly chosen: boolean;
}

/** A facet with its values, the most frequent first. Its own choice does not change its counts. */
export interface FacetGroup {
  readonly id: string;
  readonly title: string;
  readonly values: readonly FacetValue[];
}

/** Counts the values of each facet over the rows that pass the other facets. */
export function facetGroups<T>(
  rows: readonly T[],
  facets: readonly Facet<T>[],
  chosen: Readonly<Record<string, readonly string[]>>,
): FacetGroup[] {
  return facets.map((facet) => {
    const counts = new Map<string, number>();
    for (const value of chosen[facet.id] ?? []) counts.set(value, 0);
    for (const row of byFacets(rows, facets, chosen, facet.id)) {
      const value = facet.value(row);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const values = [...counts]
      .map(([value, count]) => ({ value, count, chosen: chosen[facet.id]?.includes(value) ?? false }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    return { id: facet.id, title: facet.title, values };
  });
}

/** Counts the values of a column, the most frequent first; the texts of its cells by default. */
export function countValues<T>(
  rows: readonly T[],
  column: Column<T>,
  textOf: (column: Column<T>, row: T) => string = cellText,
): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = textOf(column, row);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}
