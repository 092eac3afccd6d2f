// The frame of every screen: position above, a line for messages below, dialogs over it.

import type { Message } from '@quarterdeck/views/text';
import { rangeText } from '@quarterdeck/views/times';
import { Box } from 'ink';
import { createContext, type ReactElement, type ReactNode, use } from 'react';
import { RANGE_SCREENS } from '../../commands/navigation.ts';
import { useDashboard } from '../../context/dashboard.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { ConfirmationView } from '../dialog/confirmation-view.tsx';
import { DialogView } from '../dialog/dialog-view.tsx';
import { PromptView } from '../dialog/prompt-view.tsx';
import { type Run, Runs } from '../text.tsx';
import { type Chip, Crumbs, type Tab } from './crumbs.tsx';

/** Size of a screen and the state that the workspace shows around it. */
export interface Frame {
  readonly width: number;
  /** Rows of a screen's content. */
  readonly height: number;
  readonly tabs: readonly Tab[];
  readonly message: Message | null;
}

/** Provided by the workspace. */
export const FrameContext = createContext<Frame>({ width: 80, height: 20, tabs: [], message: null });

/** Returns the size of this screen. */
export const useFrame = (): Frame => use(FrameContext);

interface ScreenFrameProps {
  readonly chips: readonly Chip[];
  readonly crumbs?: readonly string[];
  /** Saved views as tabs. */
  readonly views?: readonly Run[];
  /** Shown while there is no other message. */
  readonly standing?: Message | null;
  readonly children: ReactNode;
}

const TONES: Record<Message['tone'], BaseTone> = { good: 'good', notice: 'notice', warning: 'warning', bad: 'bad' };
// A glyph marks a message, not only its colour.
const GLYPHS: Record<Message['tone'], string> = { good: '✓', notice: '◆', warning: '▲', bad: '✖' };

const messageRuns = (message: Message | null): readonly Run[] =>
  message === null
    ? [{ text: ' ' }]
    : [{ text: ` ${GLYPHS[message.tone]} ${message.text}`, tone: TONES[message.tone] }];

/** Renders position, content and message line. */
export function ScreenFrame({
  chips,
  crumbs = [],
  views = [],
  standing = null,
  children,
}: ScreenFrameProps): ReactElement {
  const { width, height, tabs, message } = useFrame();
  const { dialog, asking, range, navigation, now } = useDashboard();
  const hasRange = range !== null && RANGE_SCREENS.has(navigation.target.screen);
  const rangeChip: readonly Run[] = hasRange ? [{ text: rangeText(range, now()), tone: 'accent' }] : [];
  return (
    <Box flexDirection="column" width={width}>
      <Crumbs tabs={tabs} crumbs={crumbs} chips={[...rangeChip, ...chips]} views={views} width={width} />
      <Box height={height} width={width} flexDirection="column" overflow="hidden">
        {children}
        {/* A confirmation covers the dialog that led to it, which goes on afterwards. */}
        <Box position="absolute" width={width} height={height} display={asking === null ? 'flex' : 'none'}>
          {dialog !== null && <DialogView key={dialogKey(dialog)} dialog={dialog} width={width} height={height} />}
        </Box>
        {asking !== null && <ConfirmationView asking={asking} width={width} height={height} />}
      </Box>
      <Box height={1} width={width}>
        {dialog?.kind === 'prompt' ? (
          <PromptView key={dialogKey(dialog)} dialog={dialog} width={width} above={height} />
        ) : (
          <Runs runs={messageRuns(message ?? standing)} />
        )}
      </Box>
    </Box>
  );
}

// Each opened dialog starts with new state.
const keys = new WeakMap<object, number>();
let lastKey = 0;

function dialogKey(dialog: object): number {
  const known = keys.get(dialog);
  if (known !== undefined) return known;
  lastKey += 1;
  keys.set(dialog, lastKey);
  return lastKey;
}
