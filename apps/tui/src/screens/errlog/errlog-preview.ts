// The groups of a change of all that match, by state.
import type { ErrlogState } from '@quarterdeck/core';
import type { Client, ErrlogEntry } from '@quarterdeck/sdk';
import { type ErrlogFilter, firstErrlog, sourceName } from '@quarterdeck/views/errlog';
import { clean } from '@quarterdeck/views/text';
import type { ObjectGroup } from '../../components/dialog/group-lines.ts';
import type { BaseTone } from '../../theme.ts';

/** States in the order of the preview, with their tones. */
const STATES: readonly (readonly [ErrlogState, BaseTone])[] = [
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
