// Objects of a change in groups: counts first, then every object below the heading of its group. Pure.
import { countOf, moreText, type ObjectGroup } from '@quarterdeck/views/questions';
import { clean, grouped } from '@quarterdeck/views/text';
import { cut } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';

/** The groups as rows, one for each object. */
export const groupLines = (groups: readonly ObjectGroup[], width: number): Line[] =>
  groups.flatMap((group, index): Line[] => {
    const { title, tone, objects, more = 0 } = group;
    return [
      ...(index === 0 ? [] : [[]]),
      [{ text: `${title} (${grouped(countOf(group))})`, tone }],
      ...objects.map((text): Line => [{ text: `  ${cut(clean(text), Math.max(1, width - 2))}` }]),
      ...(more > 0 ? [[{ text: `  ${moreText(more)}`, tone: 'muted' as const }]] : []),
    ];
  });
