// The workspace of a signed-in user: the screens, the open dialog, and the context they share.
import { createUndoHistory } from '@quarterdeck/views/actions';
import { keyName } from '@quarterdeck/views/keys';
import { eventMessage } from '@quarterdeck/views/live';
import { useConfirmation, useEvents, useFeed, ViewsContext } from '@quarterdeck/views/react';
import type { Message } from '@quarterdeck/views/text';
import { Box } from 'ink';
import { type ReactElement, use, useMemo, useState } from 'react';
import { goCommand, type Screen } from '../commands/navigation.ts';
import { KeyMenu } from '../components/frame/key-menu.tsx';
import { LiveHeader } from '../components/frame/live-header.tsx';
import { type Frame, FrameContext } from '../components/frame/screen-frame.tsx';
import { type Area, FRAME_ROWS } from '../components/geometry.ts';
import { DashboardContext, useDashboard } from '../context/dashboard.ts';
import type { Dialog } from '../context/dialog.ts';
import { ShellContext } from '../context/shell.ts';
import type { Account, Session } from '../data/session.ts';
import { pressTo } from '../keys/key-hints.ts';
import { KEYMAP } from '../keys/keymap.ts';
import { VIEWS } from './screens.ts';
import { useAppCommands } from './use-app-commands.ts';
import { type DashboardParts, useDashboardContext, useFail } from './use-dashboard-context.ts';
import { useMessage } from './use-message.ts';
import { useAllowedScreens, useNavigation } from './use-navigation.ts';

/** Shows the messages; draws nothing itself. */
function EventMessages(): null {
  const { say, keyOf } = useDashboard();
  useEvents((events) => {
    const ways = {
      alerts: pressTo(keyOf('app.goAlerts'), 'list alerts'),
      outages: pressTo(keyOf('app.goOutages'), 'list outages'),
    };
    for (const event of events) {
      const message = eventMessage(event, ways);
      if (message !== undefined) say(message);
    }
  });
  return null;
}

interface WorkspaceProps extends Area {
  readonly account: Account;
  readonly session: Session;
  /** False while the sign-in covers it. */
  readonly online: boolean;
  readonly first: Screen;
}

/** True for a screen with a number key. */
const isNumbered = (screen: Screen): boolean => /^[1-9]$/.test(KEYMAP.app[goCommand(screen)].keys[0] ?? '');

/** The tabs: the screens with a number key, and the one that is open. */
function useFrameContext(screens: readonly Screen[], open: Screen, message: Message | null, size: Size): Frame {
  const { width, height } = size;
  const { settings } = use(ShellContext);
  const { keys } = settings;
  return useMemo<Frame>(
    () => ({
      width,
      height: height - FRAME_ROWS,
      tabs: screens
        .filter((name) => isNumbered(name) || name === open)
        .map((name) => {
          const command = goCommand(name);
          const [key = ''] = keys[`app.${command}`] ?? KEYMAP.app[command].keys;
          return { key: isNumbered(name) ? keyName(key) : '', title: VIEWS[name].title, open: name === open };
        }),
      message,
    }),
    [width, height, screens, open, message, keys],
  );
}

type Size = Pick<WorkspaceProps, 'width' | 'height'>;

/** The screens visited so far. The same elements until they change: a change around them renders no screen. */
function useViews(visited: ReadonlySet<Screen>, open: Screen): readonly ReactElement[] {
  return useMemo(
    () =>
      [...visited].map((name) => {
        const { View } = VIEWS[name];
        return <View key={name} visible={name === open} />;
      }),
    [visited, open],
  );
}

export function Workspace({ account, session, online, width, height, first }: WorkspaceProps): ReactElement {
  const { now, messages } = use(ShellContext);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const { asking, confirm } = useConfirmation();
  const [history] = useState(createUndoHistory);
  const fail = useFail(account, session);
  const feed = useFeed(account.client, { online, now, fail });
  const screens = useAllowedScreens(account);
  const { navigation, visited, go, back } = useNavigation(screens, first, setDialog);
  const { message, say } = useMessage(messages, now, navigation.visits);
  const { screen } = navigation.target;
  const parts: DashboardParts = {
    account,
    session,
    online,
    feed,
    fail,
    say,
    dialog,
    setDialog,
    asking,
    confirm,
    history,
  };
  const dashboard = useDashboardContext(parts, navigation, go);
  const frame = useFrameContext(screens, screen, message, { width, height });
  const views = useViews(visited, screen);
  useAppCommands(dashboard, { account, session, back, history });
  return (
    <DashboardContext value={dashboard}>
      <ViewsContext value={dashboard}>
        <FrameContext value={frame}>
          <Box flexDirection="column" width={width} height={height} display={online ? 'flex' : 'none'}>
            <LiveHeader account={account} feed={feed} width={width} />
            <EventMessages />
            {views}
            <KeyMenu width={width} height={height} />
          </Box>
        </FrameContext>
      </ViewsContext>
    </DashboardContext>
  );
}
