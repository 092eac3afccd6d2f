// Steps in the place of an empty list: commands to copy, each on one line where it fits.
import type { Way } from '@quarterdeck/views/lines';
import type { ReactElement } from 'react';
import { useDashboard } from '../context/dashboard.ts';
import { width as widthOf, wrap } from '../text/width.ts';
import type { Line } from '../theme/lines.ts';
import type { Area } from './geometry.ts';
import { Lines } from './lines.tsx';

export interface FirstStepsProps extends Area {
  readonly title: string;
  readonly lines: readonly string[];
  readonly ways: readonly Way[];
  readonly notes: readonly string[];
}

const COPY_KEYS = ['list.copyWay1', 'list.copyWay2', 'list.copyWay3'] as const;

/** Renders the steps as one block in the middle. */
export function FirstSteps({ title, lines, ways, notes, width, height }: FirstStepsProps): ReactElement {
  const { keyOf } = useDashboard();
  const commands = ways.map(({ command }) => widthOf(command));
  const block = Math.max(0, Math.min(width - 2, Math.max(72, ...commands)));
  const indent = ' '.repeat(Math.max(1, Math.floor((width - block) / 2)));
  const rows = (text: string, tone: 'muted' | 'plain'): Line[] =>
    wrap(text, block).map((row): Line => [{ text: indent }, { text: row, tone }]);
  const content: Line[] = [
    [{ text: indent }, { text: title, tone: 'strong' }],
    ...lines.flatMap((text) => rows(text, 'muted')),
    ...ways.flatMap(({ label, command }, index): Line[] => [
      ...(height > 16 ? [[]] : []),
      [
        { text: indent },
        { text: `${COPY_KEYS[index] === undefined ? '' : keyOf(COPY_KEYS[index])} `, tone: 'key' },
        { text: `copies: ${label}`, tone: 'muted' },
      ],
      ...rows(command, 'plain'),
    ]),
    ...(height > 16 ? [[]] : []),
    ...notes.flatMap((text) => rows(text, 'muted')),
  ];
  const above = Math.max(0, Math.floor((height - content.length) / 2));
  return <Lines lines={[...Array.from({ length: above }, (): Line => []), ...content]} width={width} height={height} />;
}
