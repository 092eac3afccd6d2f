// Lines of a segment that are to be moved, by their present group.

import type { StoredSegment } from '../tables/segment-rows.ts';
import { addToMinute } from './group-rows.ts';

/** Lines of one group in a segment that are to be moved. */
export interface Taken {
  count: number;
  first: number;
  last: number;
  log: string;
  readonly places: number[];
  readonly minutes: Map<number, number>;
}

/** Takes a line of a group. */
export function take(
  taken: Map<number, Taken>,
  giver: number,
  { place, log, time, count }: { place: number; log: string; time: number; count: number },
): void {
  const known: Taken = taken.get(giver) ?? { count: 0, first: time, last: 0, log, places: [], minutes: new Map() };
  known.count += count;
  known.first = Math.min(known.first, time);
  if (time >= known.last) [known.last, known.log] = [time, log];
  known.places.push(place);
  addToMinute(known.minutes, time, count);
  taken.set(giver, known);
}

/** The groups by the places of the lines. */
export const placesOf = (taken: ReadonlyMap<number, Taken>, takers: ReadonlyMap<number, number>): Map<number, number> =>
  new Map([...taken].flatMap(([id, { places }]) => places.map((place) => [place, takers.get(id) as number] as const)));

/** Number of the occurrences. */
export const sumOf = (taken: ReadonlyMap<number, Taken>): number =>
  [...taken.values()].reduce((sum, { count }) => sum + count, 0);

/** Tells whether a segment is still the one that was read, with its lines in the same groups. */
export const isSame = (a: StoredSegment, b: StoredSegment): boolean =>
  a.id === b.id && a.n === b.n && a.last_id === b.last_id && Buffer.compare(a.groups, b.groups) === 0;
