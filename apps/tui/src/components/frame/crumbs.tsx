// The second row: the current screen, the other screens if there is room, and the filters.
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { clean } from '../../text/clean.ts';
import { type Line, lineWidth, type Run } from '../../text/lines.ts';
import { cut, width as widthOf } from '../../text/width.ts';
import { DrawingContext, Runs } from '../text.tsx';

/** One screen. */
export interface Tab {
  readonly key: string;
  readonly title: string;
  readonly open: boolean;
}

/** Minimum width for the names of all screens, in columns. */
const TABS_FROM = 140;

const tabRuns = ({ key, title, open }: Tab): Run[] =>
  open
    ? [{ text: `[${key === '' ? '' : `${key} `}${title}]`, tone: 'selected' }]
    : [
        { text: ` ${key}`, tone: 'key' },
        { text: ` ${title} `, tone: 'muted' },
      ];

/** Renders the current position in at most `columns`. */
export function crumbLine(tabs: readonly Tab[], crumbs: readonly string[], width: number, namesAll = true): Line {
  const here = tabs.find(({ open }) => open);
  const path: Run[] = crumbs.flatMap((crumb) => [
    { text: ' › ', tone: 'faint' as const },
    { text: cut(clean(crumb), 40), tone: 'strong' as const },
  ]);
  if (namesAll && width >= TABS_FROM && here !== undefined) return [...tabs.flatMap(tabRuns), ...path];
  return here === undefined
    ? path
    : [{ text: `${here.key === '' ? '' : `${here.key} `}${here.title}`, tone: 'title' }, ...path];
}

/** Returns the chips that fit, the most important first. */
export function chipsThatFit(chips: readonly Run[], room: number): Line {
  let left = room;
  const shown: Run[] = [];
  for (const chip of chips) {
    const needed = widthOf(clean(chip.text)) + (shown.length > 0 ? 2 : 0);
    if (needed > left) break;
    left -= needed;
    if (shown.length > 0) shown.push({ text: '  ' });
    shown.push({ ...chip, text: clean(chip.text) });
  }
  return shown;
}

interface CrumbsProps {
  readonly tabs: readonly Tab[];
  readonly crumbs: readonly string[];
  /** Filters and modes of the open screen, the most important first. The last ones are dropped if there is no room. */
  readonly chips: readonly Run[];
  readonly width: number;
}

/** Renders the second row. */
export function Crumbs({ tabs, crumbs, chips, width }: CrumbsProps): ReactElement {
  const left = crumbLine(tabs, crumbs, width, use(DrawingContext) !== 'words');
  return (
    <Box height={1} paddingX={1} justifyContent="space-between">
      <Runs runs={left} />
      <Runs runs={chipsThatFit(chips, width - 4 - lineWidth(left))} />
    </Box>
  );
}
