// The groups of a change of all that match, by state.

import type { Client, ErrlogEntry, ErrlogState } from '@quarterdeck/sdk';
import type { ObjectGroup } from '../questions/object-groups.ts';
import { clean } from '../text/clean.ts';
import type { Tone } from '../text/tone.ts';
import { type ErrlogFilter, firstErrlog } from './errlog.ts';
import { sourceName } from './source-names.ts';

/** States in the order of the preview, with their tones. */
const STATES: readonly (readonly [ErrlogState, Tone])[] = [
  ['new', 'bad'],
  ['regressed', 'bad'],
  ['ongoing', 'warning'],
  ['muted', 'muted'],
  ['resolved', 'good'],
];

/** Longest excerpt of a message. */
const EXCERPT = 200;

/** Groups entries by state; `matched` counts those that are not listed too. */
export function errlogGroups(entries: readonly ErrlogEntry[], matched: number): ObjectGroup[] {
  const more = matched - entries.length;
  return [
    ...STATES.flatMap(([state, tone]): ObjectGroup[] => {
      const own = entries.filter((entry) => (entry.state ?? 'ongoing') === state);
      const objects = own.map((entry) => `${sourceName(entry)}: ${clean(entry.log.slice(0, EXCERPT))}`);
      return objects.length === 0 ? [] : [{ title: state, tone, objects }];
    }),
    ...(more > 0 ? [{ title: 'not listed', tone: 'muted' as const, objects: [], more }] : []),
  ];
}

/** Reads the groups that a change of all that match concerns, by state. */
export const readErrlogGroups = async (client: Client, filter: ErrlogFilter, matched: number): Promise<ObjectGroup[]> =>
  errlogGroups(await firstErrlog(client, filter), matched);
