// The second row: the current screen, the other screens if there is room, and the filters.
import { clean } from '@quarterdeck/views/text';
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { useBound } from '../../keys/use-commands.ts';
import { cut, width as widthOf } from '../../text/width.ts';
import { type Line, lineWidth, type Run } from '../../theme/lines.ts';
import { DrawingContext, Runs } from '../text.tsx';
import { goToHint } from './footer.tsx';

/** Returns the position with the views behind it, if there is room for them and for the filters. */
function withViewTabs(left: Line, views: readonly Run[], chips: readonly Run[], width: number): Line {
  const chipsWidth = chips.reduce((sum, { text }) => sum + widthOf(clean(text)) + 2, 0);
  const fits = lineWidth(left) + 2 + lineWidth(views) + chipsWidth <= width - 4;
  return views.length > 0 && fits ? [...left, { text: '  ' }, ...views] : left;
}

/** One screen. */
export interface Tab {
  readonly key: string;
  readonly title: string;
  readonly open: boolean;
}

/** Least columns that the names or the keys of the other screens leave to the filters, so that tabs seldom change. */
const CHIPS_ROOM = { names: 46, someNames: 34, keys: 46 };
/** Width from which as many names of screens as fit are shown, columns. */
const SOME_NAMES_FROM = 100;

interface TabsShown {
  /** The number of tabs with their names; the open one always has its name. */
  readonly named: number;
  /** The key of the menu of all screens, shown at the end with a word. */
  readonly menu: Line;
}

/** The tabs in a row: the open one with the path, the others with their names or only their keys. */
function tabRuns(tabs: readonly Tab[], path: readonly Run[], { named, menu }: TabsShown): Run[] {
  const runs = tabs.flatMap(({ key, title, open }, index): Run[] => {
    const label = key === '' ? title : `${key} ${title}`;
    const gap: Run = { text: ' '.repeat(index > 0 ? 1 : 0) };
    if (open) return [gap, { text: `[${label}`, tone: 'selected' }, ...path, { text: ']', tone: 'selected' }];
    const name: Run[] = index < named ? [{ text: ` ${title} `, tone: 'muted' }] : [];
    return [gap, { text: key, tone: 'key' }, ...name];
  });
  return [...runs, ...menu];
}

interface CrumbOptions {
  /** The key of the menu that names every screen. */
  readonly menuKey?: string;
  readonly namesAll?: boolean;
  /** Columns of the saved views and of the filters beside the tabs. */
  readonly beside?: number;
}

/**
 * Renders the current position: among the names of all screens, of the first ones, among their keys, or alone. It takes
 * the first form that leaves room for the filters.
 */
export function crumbLine(
  tabs: readonly Tab[],
  crumbs: readonly string[],
  width: number,
  { menuKey = '', namesAll = true, beside = 0 }: CrumbOptions = {},
): Line {
  const here = tabs.find(({ open }) => open);
  const path: Run[] = crumbs.flatMap((crumb) => [
    { text: ' › ', tone: 'faint' as const },
    { text: cut(clean(crumb), 40), tone: 'strong' as const },
  ]);
  if (here === undefined) return path;
  const menu: Line =
    menuKey === ''
      ? []
      : [
          { text: ` ${menuKey}`, tone: 'key' },
          { text: ' screens', tone: 'muted' },
        ];
  const some = width < SOME_NAMES_FROM ? [] : tabs.map((_, index) => tabs.length - 1 - index).slice(0, -1);
  const forms = [
    { named: tabs.length, menu: [], room: Math.max(CHIPS_ROOM.names, beside) },
    ...some.map((named) => ({ named, menu, room: Math.max(CHIPS_ROOM.someNames, beside) })),
    { named: 0, menu, room: Math.max(CHIPS_ROOM.someNames, beside) },
    { named: 0, menu: [], room: CHIPS_ROOM.keys },
  ];
  const fitting = (namesAll ? forms : [])
    .map(({ room, ...form }) => ({ line: tabRuns(tabs, path, form), room }))
    .find(({ line, room }) => lineWidth(line) <= width - 2 - room)?.line;
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

export function Crumbs({ tabs, crumbs, chips, views, width }: CrumbsProps): ReactElement {
  // Saved views are more to the user than the keys of the screens.
  const [menu] = goToHint(useBound());
  const chipsWidth = lineWidth(chips.map(({ text }) => ({ text: `${clean(text)}  ` })));
  const viewsWidth = lineWidth(views);
  const position = crumbLine(tabs, crumbs, width - viewsWidth, {
    menuKey: menu?.key ?? '',
    beside: chipsWidth + (viewsWidth > 0 ? 2 : 0) + 2,
    namesAll: use(DrawingContext) !== 'words',
  });
  const left = withViewTabs(position, views, chips, width);
  return (
    <Box height={1} paddingX={1} justifyContent="space-between">
      <Runs runs={left} />
      <Runs runs={chipsThatFit(chips, width - 4 - lineWidth(left))} />
    </Box>
  );
}
