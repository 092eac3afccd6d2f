// Objects of a change in groups: counts first, then every object below the heading of its group. Pure.
import { clean, grouped } from '@quarterdeck/views/text';
import type { Line } from '../../text/lines.ts';
import { wrap } from '../../text/width.ts';
import type { BaseTone } from '../../theme.ts';

/** Objects of a change that have something in common. */
export interface ObjectGroup {
  /** The shared property, such as `offline`. */
  readonly title: string;
  readonly tone: BaseTone;
  /** One text for each object. */
  readonly objects: readonly string[];
  /** Number of further objects that are not listed. */
  readonly more?: number;
}

const countOf = ({ objects, more = 0 }: ObjectGroup): number => objects.length + more;

/** The counts of all groups: `8 online, 2 offline`. */
export const groupCounts = (groups: readonly ObjectGroup[]): string =>
  groups.map((group) => `${grouped(countOf(group))} ${group.title}`).join(', ');

const moreText = (more: number): string => `and ${grouped(more)} more`;

/** The groups as rows. */
export const groupLines = (groups: readonly ObjectGroup[], width: number): Line[] =>
  groups.flatMap((group, index): Line[] => {
    const { title, tone, objects, more = 0 } = group;
    return [
      ...(index === 0 ? [] : [[]]),
      [{ text: `${title} (${grouped(countOf(group))})`, tone }],
      ...objects.flatMap((text) =>
        wrap(clean(text), Math.max(1, width - 2)).map((row): Line => [{ text: `  ${row}` }]),
      ),
      ...(more > 0 ? [[{ text: `  ${moreText(more)}`, tone: 'muted' as const }]] : []),
    ];
  });

/** The groups as text to copy. */
export const groupText = (groups: readonly ObjectGroup[]): string =>
  groups
    .flatMap((group) => [
      `${group.title} (${grouped(countOf(group))})`,
      ...group.objects.map((text) => `  ${clean(text)}`),
      ...(group.more === undefined || group.more === 0 ? [] : [`  ${moreText(group.more)}`]),
    ])
    .join('\n');
