// A part of the body with a title: docked below the list, or beside it.
import { Box } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { cut, width as widthOf } from '../text/width.ts';
import type { Tone } from '../theme.ts';
import { Runs } from './text.tsx';

interface PaneProps {
  readonly title: string;
  readonly tone?: Tone;
  readonly width: number;
  readonly height: number;
  /** `beside`: a line separates it from what is on its left. */
  readonly side?: 'below' | 'beside';
  readonly children: ReactNode;
}

/** A titled area of exactly this size. Its content is two columns narrower, one row lower; beside, three narrower. */
export function Pane({ title, tone = 'strong', width, height, side = 'below', children }: PaneProps): ReactElement {
  const inner = side === 'beside' ? width - 1 : width;
  const shown = cut(title, inner - 6);
  const rest = Math.max(0, inner - widthOf(shown) - 4);
  return (
    <Box width={width} height={height} overflow="hidden" flexShrink={0}>
      {side === 'beside' && (
        <Box flexDirection="column" width={1} flexShrink={0}>
          {Array.from({ length: height }, (_, row) => (
            <Runs key={row} runs={[{ text: row === 0 ? '┌' : '│', tone: 'muted' }]} />
          ))}
        </Box>
      )}
      <Box flexDirection="column" width={inner}>
        <Runs
          runs={[
            { text: '─ ', tone: 'muted' },
            { text: shown, tone },
            { text: ` ${'─'.repeat(rest)}`, tone: 'muted' },
          ]}
        />
        <Box flexDirection="column" paddingX={1} height={height - 1} overflow="hidden">
          {children}
        </Box>
      </Box>
    </Box>
  );
}
