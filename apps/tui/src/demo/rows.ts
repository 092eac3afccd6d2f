// Helpers for rows of the demo: lookup, changes, counts. Pure.
import { LEVELS } from '@quarterdeck/core';
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

export const withRow = <T extends { readonly id: number }>(rows: readonly T[], row: T): T[] =>
  rows.map((one) => (one.id === row.id ? row : one));

/** Returns a row with the fields of a change. */
export const withFields = <T extends object>(row: T, change: object): T => ({ ...row, ...change });

export const withoutRow = <T extends { readonly id: number }>(rows: readonly T[], id: number): T[] =>
  rows.filter((row) => row.id !== id);

export const nextId = (rows: readonly { readonly id: number }[]): number =>
  Math.max(0, ...rows.map(({ id }) => id)) + 1;

/** Counts equal values, the most frequent first. */
export function tally<K>(values: Iterable<K>): [value: K, count: number][] {
  const counts = new Map<K, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** Empty buckets of `step` seconds, and a function that counts occurrences of a level at a time. */
export function emptyBuckets(start: number, end: number, step: number) {
  const buckets = Array.from({ length: Math.ceil((end - start) / step) }, (_, index) => ({
    time: start + index * step,
    count: 0,
    levels: LEVELS.map(() => 0),
  }));
  const add = (at: number, level: number, count: number): void => {
    const bucket = buckets[Math.floor((at - start) / step)];
    if (bucket === undefined) return;
    bucket.count += count;
    bucket.levels[level] = (bucket.levels[level] ?? 0) + count;
  };
  return { buckets, add };
}
