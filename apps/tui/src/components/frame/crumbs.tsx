// The second row: the current screen, the other screens if there is room, and the filters.

import { clean } from '@quarterdeck/views/text';
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { type Line, lineWidth, type Run } from '../../text/lines.ts';
import { cut, width as widthOf } from '../../text/width.ts';
import { DrawingContext, Runs } from '../text.tsx';
import { withViewTabs } from './view-tabs.ts';

/** One screen. */
export interface Tab {
  readonly key: string;
  readonly title: string;
  readonly open: boolean;
}

/** Columns that the names or the keys of the other screens leave to the filters. */
const CHIPS_ROOM = 46;

/** The tabs in a row: the open one with the path, the others with their names or only their keys. */
function tabRuns(tabs: readonly Tab[], path: readonly Run[], named: boolean): Run[] {
  return tabs.flatMap(({ key, title, open }, index): Run[] => {
    const label = key === '' ? title : `${key} ${title}`;
    const gap: Run = { text: ' '.repeat(index > 0 ? 1 : 0) };
    if (open) return [gap, { text: `[${label}`, tone: 'selected' }, ...path, { text: ']', tone: 'selected' }];
    const name: Run[] = named ? [{ text: ` ${title} `, tone: 'muted' }] : [];
    return [gap, { text: key, tone: 'key' }, ...name];
  });
}

/**
 * Renders the current position: among the names of all screens, among their keys, or alone. It takes the first form
 * that leaves room for the filters.
 */
export function crumbLine(tabs: readonly Tab[], crumbs: readonly string[], width: number, namesAll = true): Line {
  const here = tabs.find(({ open }) => open);
  const path: Run[] = crumbs.flatMap((crumb) => [
    { text: ' › ', tone: 'faint' as const },
    { text: cut(clean(crumb), 40), tone: 'strong' as const },
  ]);
  if (here === undefined) return path;
  const forms = namesAll ? [tabRuns(tabs, path, true), tabRuns(tabs, path, false)] : [];
  const fitting = forms.find((form) => lineWidth(form) <= width - 2 - CHIPS_ROOM);
  return fitting ?? [{ text: `${here.key === '' ? '' : `${here.key} `}${here.title}`, tone: 'title' }, ...path];
}

/** A filter or a mode. */
export interface Chip extends Run {
  /** Set if a part of the text is better than nothing. */
  readonly shrinks?: true;
}

/** Least columns of a shortened chip. */
const SHRUNK_MIN = 12;

/** Returns the chips that fit, the most important first. */
export function chipsThatFit(chips: readonly Chip[], room: number): Line {
  let left = room;
  const shown: Run[] = [];
  for (const { shrinks, ...chip } of chips) {
    const gap = shown.length > 0 ? 2 : 0;
    const text = shrinks === true && left - gap >= SHRUNK_MIN ? cut(clean(chip.text), left - gap) : clean(chip.text);
    const needed = widthOf(text) + gap;
    if (needed > left) break;
    left -= needed;
    if (gap > 0) shown.push({ text: '  ' });
    shown.push({ ...chip, text });
  }
  return shown;
}

interface CrumbsProps {
  readonly tabs: readonly Tab[];
  readonly crumbs: readonly string[];
  /** Filters and modes of the open screen, the most important first. The last ones are dropped if there is no room. */
  readonly chips: readonly Chip[];
  /** Saved views, shown where there is room. */
  readonly views: readonly Run[];
  readonly width: number;
}

/** Renders the second row. */
export function Crumbs({ tabs, crumbs, chips, views, width }: CrumbsProps): ReactElement {
  // Saved views are more to the user than the keys of the screens.
  const position = crumbLine(tabs, crumbs, width - lineWidth(views), use(DrawingContext) !== 'words');
  const left = withViewTabs(position, views, chips, width);
  return (
    <Box height={1} paddingX={1} justifyContent="space-between">
      <Runs runs={left} />
      <Runs runs={chipsThatFit(chips, width - 4 - lineWidth(left))} />
    </Box>
  );
}
