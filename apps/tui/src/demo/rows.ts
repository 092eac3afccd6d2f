// Helpers for rows of the demo: lookup, changes, counts. Pure.
import { LEVELS } from '@quarterdeck/core';
import { refusal } from '@quarterdeck/sdk/testing';
import type { Fleet } from './fleet-state.ts';

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

/** The lists of the fleet whose rows have an id. */
type Lists = {
  [K in keyof Fleet as Fleet[K] extends readonly { readonly id: number }[] ? K : never]: Fleet[K];
};
type Row<K extends keyof Lists> = Lists[K][number];
export type ById = Parameters<typeof byId>[1];

/** Puts a new row before the others. */
export function add<K extends keyof Lists>(fleet: Fleet, list: K, row: Row<K>): Row<K> {
  (fleet as Lists)[list] = [row, ...fleet[list]] as Lists[K];
  return row;
}

/** Changes fields of the row of a call. */
export function change<K extends keyof Lists>(fleet: Fleet, list: K, call: ById, over: object): Row<K> {
  const row = { ...byId<Row<K>>(fleet[list], call), ...over };
  (fleet as Lists)[list] = withRow<Row<K>>(fleet[list], row) as Lists[K];
  return row;
}

/** Removes the row of a call, and returns it. */
export function remove<K extends keyof Lists>(fleet: Fleet, list: K, call: ById): Row<K> {
  const row = byId<Row<K>>(fleet[list], call);
  (fleet as Lists)[list] = withoutRow<Row<K>>(fleet[list], row.id) as Lists[K];
  return row;
}

export const withRow = <T extends { readonly id: number }>(rows: readonly T[], row: T): T[] =>
  rows.map((one) => (one.id === row.id ? row : one));

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
