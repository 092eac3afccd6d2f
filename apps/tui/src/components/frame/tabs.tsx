// The second row: the screens by number, what narrows the one that is open, and where in it one is.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { width as widthOf } from '../../text/width.ts';
import { type Run, Runs } from '../text.tsx';

/** One screen. */
export interface Tab {
  readonly key: string;
  readonly title: string;
  readonly open: boolean;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  /** Filters and modes of the open screen, most important first; the last ones go where there is no room. */
  readonly chips: readonly Run[];
  readonly width: number;
}

const tabRuns = ({ key, title, open }: Tab): Run[] =>
  open ? [{ text: `[${key} ${title}]`, tone: 'title' }] : [{ text: ` ${key}`, tone: 'key' }, { text: ` ${title} ` }];

/** The second row of the frame. */
export function Tabs({ tabs, chips, width }: TabsProps): ReactElement {
  const left = tabs.flatMap(tabRuns);
  let room = width - 2 - left.reduce((sum, { text }) => sum + widthOf(text), 0) - 2;
  const shown: Run[] = [];
  for (const chip of chips) {
    const needed = widthOf(chip.text) + (shown.length > 0 ? 2 : 0);
    if (needed > room) break;
    room -= needed;
    if (shown.length > 0) shown.push({ text: '  ' });
    shown.push(chip);
  }
  return (
    <Box height={1} paddingX={1} justifyContent="space-between">
      <Runs runs={left} />
      <Runs runs={shown} />
    </Box>
  );
}
