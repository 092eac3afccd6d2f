// Objects of a change in groups: counts first, then every object below the heading of its group. Pure.
import { clean } from '../text/clean.ts';
import { grouped } from '../text/format.ts';
import type { Tone } from '../text/tone.ts';

/** Objects of a change that have something in common. */
export interface ObjectGroup {
  /** The shared property, such as `offline`. */
  readonly title: string;
  readonly tone: Tone;
  /** One text for each object. */
  readonly objects: readonly string[];
  /** Number of further objects that are not listed. */
  readonly more?: number;
}

/** The number of objects of a group. */
export const countOf = ({ objects, more = 0 }: ObjectGroup): number => objects.length + more;

/** The counts of all groups: `8 online, 2 offline`. */
export const groupCounts = (groups: readonly ObjectGroup[]): string =>
  groups.map((group) => `${grouped(countOf(group))} ${group.title}`).join(', ');

/** The objects that are not listed, in words. */
export const moreText = (more: number): string => `and ${grouped(more)} more`;

/** The groups as text to copy. */
export const groupText = (groups: readonly ObjectGroup[]): string =>
  groups
    .flatMap((group) => [
      `${group.title} (${grouped(countOf(group))})`,
      ...group.objects.map((text) => `  ${clean(text)}`),
      ...(group.more === undefined || group.more === 0 ? [] : [`  ${moreText(group.more)}`]),
    ])
    .join('\n');
