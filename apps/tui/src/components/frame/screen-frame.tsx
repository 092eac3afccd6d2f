// What every screen has around its own content: the tabs above, a line for messages below, the help over it.
import { Box } from 'ink';
import { createContext, type ReactElement, type ReactNode, use } from 'react';
import type { Message } from '../../data/dashboard.ts';
import { useDashboard } from '../../data/dashboard.ts';
import type { Tone } from '../../theme.ts';
import { type Run, Text } from '../text.tsx';
import { Help } from './help.tsx';
import { type Tab, Tabs } from './tabs.tsx';

/** The room a screen has and what the workspace shows around it. */
export interface Frame {
  readonly width: number;
  /** Rows of a screen's own content. */
  readonly height: number;
  readonly tabs: readonly Tab[];
  readonly message: Message | null;
}

/** Provided by the workspace. */
export const FrameContext = createContext<Frame>({ width: 80, height: 20, tabs: [], message: null });

/** The room this screen has. */
export const useFrame = (): Frame => use(FrameContext);

interface ScreenFrameProps {
  readonly chips: readonly Run[];
  /** Said while there is no other message. */
  readonly standing?: Message | null;
  readonly children: ReactNode;
}

const TONES: Record<Message['tone'], Tone> = { good: 'good', notice: 'notice', warning: 'warning', bad: 'bad' };

/** Tabs, content, message line. */
export function ScreenFrame({ chips, standing = null, children }: ScreenFrameProps): ReactElement {
  const { width, height, tabs, message } = useFrame();
  const { overlay } = useDashboard();
  const shown = message ?? standing;
  return (
    <Box flexDirection="column" width={width}>
      <Tabs tabs={tabs} chips={chips} width={width} />
      <Box height={height} width={width} flexDirection="column" overflow="hidden">
        {overlay?.kind === 'help' ? <Help width={width} height={height} /> : children}
      </Box>
      <Box height={1} paddingX={1}>
        <Text tone={shown === null ? 'plain' : TONES[shown.tone]}>{shown?.text ?? ' '}</Text>
      </Box>
    </Box>
  );
}
