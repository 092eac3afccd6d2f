// Everything a signed-in user has: the screens, what is open over them, and what they share.
import { can, contract } from '@quarterdeck/core';
import { Box } from 'ink';
import { type ReactElement, useCallback, useEffect, useMemo, useReducer, useState } from 'react';
import { connectionRun, Header } from './components/frame/header.tsx';
import { type Frame, FrameContext } from './components/frame/screen-frame.tsx';
import { Notice } from './components/notice.tsx';
import { type Dashboard, DashboardContext, type Message } from './data/dashboard.ts';
import { failureOf } from './data/failure.ts';
import { type Account, type Session, subjectOf } from './data/session.ts';
import { useConnection, useFeed } from './data/use-events.ts';
import { useNow } from './data/use-now.ts';
import { useCommands } from './keys/use-commands.ts';
import { navigate, type Overlay, SCREENS, type Screen, startAt } from './navigation.ts';
import { AgentsScreen } from './screens/agents/agents-screen.tsx';
import { ApiTokensScreen } from './screens/api-tokens/api-tokens-screen.tsx';
import { ErrlogScreen } from './screens/errlog/errlog-screen.tsx';

const TITLES: Record<Screen, string> = { errlog: 'Errors', agents: 'Agents', apiTokens: 'Tokens' };
const VIEWS = { errlog: ErrlogScreen, agents: AgentsScreen, apiTokens: ApiTokensScreen };
const ACCESS = {
  errlog: contract.errlog.list.access,
  agents: contract.agent.list.access,
  apiTokens: contract.apiToken.list.access,
};

/** Rows of the frame: header, tabs, messages. The footer is the root's. */
const FRAME_ROWS = 3;
/** How long a message stays, milliseconds. */
const MESSAGE_MS = { good: 5_000, notice: 5_000, warning: 10_000, bad: 15_000 };

interface WorkspaceProps {
  readonly account: Account;
  readonly session: Session;
  readonly server: string;
  /** False while the sign-in is over it. */
  readonly online: boolean;
  readonly width: number;
  readonly height: number;
  readonly now: () => number;
  readonly copy: (text: string) => void;
  readonly onQuit: () => void;
}

/** The workspace of one user. */
export function Workspace(props: WorkspaceProps): ReactElement {
  const { account, session, server, online, width, height, now, copy, onQuit } = props;
  const subject = useMemo(() => subjectOf(account), [account]);
  const screens = SCREENS.filter((screen) => can(subject, ACCESS[screen]));
  const [navigation, step] = useReducer(navigate, startAt(screens[0] ?? 'errlog'));
  const [message, say] = useState<Message | null>(null);
  const feed = useFeed(account, session, online, now);
  const connection = useConnection(feed);
  const nowMs = useNow(now, 1000, connection.status === 'lost');

  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => say(null), MESSAGE_MS[message.tone]);
    return () => clearTimeout(timer);
  }, [message]);

  const fail = useCallback(
    (error: unknown) => {
      const failure = failureOf(error);
      if (failure.kind === 'unauthorized') session.expire(account, failure);
    },
    [account, session],
  );
  const open = useCallback((overlay: Overlay) => step({ type: 'open', overlay }), []);
  const close = useCallback(() => step({ type: 'close' }), []);
  const { screen, overlay } = navigation;
  const dashboard = useMemo<Dashboard>(
    () => ({ client: account.client, me: account.me, online, feed, now, fail, say, overlay, open, close, copy }),
    [account, online, feed, now, fail, overlay, open, close, copy],
  );
  const frame: Frame = {
    width,
    height: height - FRAME_ROWS,
    tabs: screens.map((name) => ({
      key: String(SCREENS.indexOf(name) + 1),
      title: TITLES[name],
      open: name === screen,
    })),
    message,
  };

  const go = (to: Screen) => () => step({ type: 'go', screen: to });
  useCommands('app', {
    help: () => open({ kind: 'help' }),
    quit: onQuit,
    goErrlog: go('errlog'),
    goAgents: go('agents'),
    goApiTokens: go('apiTokens'),
  });

  return (
    <DashboardContext value={dashboard}>
      <FrameContext value={frame}>
        <Box flexDirection="column" width={width} height={height} display={online ? 'flex' : 'none'}>
          <Header
            server={server}
            user={account.me.username}
            role={account.me.role}
            connection={connectionRun(connection, nowMs)}
            width={width}
          />
          {screens.map((name) => {
            const View = VIEWS[name];
            return <View key={name} visible={name === screen} />;
          })}
          {screens.length === 0 && (
            <Notice
              title="There is nothing here that you may see."
              lines={['Ask whoever administers this server for a role or a token with permissions.']}
              width={width}
              height={height - 1}
            />
          )}
        </Box>
      </FrameContext>
    </DashboardContext>
  );
}
