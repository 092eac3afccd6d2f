// Everything a signed-in user has: the screens, what is open over them, and what they share.
import { can } from '@quarterdeck/core';
import { Box } from 'ink';
import { type ReactElement, use, useCallback, useEffect, useMemo, useReducer, useState } from 'react';
import { Alerts } from './alerts.tsx';
import { commandDialog, helpDialog, paletteDialog } from './commands/registry.ts';
import { usePowers } from './commands/use-powers.ts';
import type { Dialog } from './components/dialog/dialog.ts';
import { FRAME_ROWS } from './components/frame/geometry.ts';
import { LiveHeader } from './components/frame/live-header.tsx';
import { type Frame, FrameContext } from './components/frame/screen-frame.tsx';
import { useTerminal } from './dashboard/terminal.ts';
import { useConfirmation } from './data/confirmed.ts';
import { type Dashboard, DashboardContext, type Message } from './data/dashboard.ts';
import { failureOf } from './data/failure.ts';
import { type Account, type Session, subjectOf } from './data/session.ts';
import { useFeed } from './data/use-events.ts';
import { useCommands } from './keys/use-commands.ts';
import { navigate, SCREENS, type Screen, startAt, type Target } from './navigation.ts';
import { VIEWS } from './screens/screens.ts';
import { ShellContext } from './shell.ts';

/** How long a message stays, milliseconds. */
const MESSAGE_MS = { good: 5_000, notice: 5_000, warning: 10_000, bad: 15_000 };

interface WorkspaceProps {
  readonly account: Account;
  readonly session: Session;
  /** False while the sign-in is over it. */
  readonly online: boolean;
  readonly width: number;
  readonly height: number;
  readonly first: Screen;
}

/** The workspace of one user. */
export function Workspace({ account, session, online, width, height, first }: WorkspaceProps): ReactElement {
  const shell = use(ShellContext);
  const terminal = useTerminal();
  const { profile, now, copy, store, glyphs, messages } = shell;
  const subject = useMemo(() => subjectOf(account), [account]);
  const screens = useMemo(
    () =>
      SCREENS.filter((screen) => {
        const { access } = VIEWS[screen];
        return access === undefined || can(subject, access);
      }),
    [subject],
  );
  const [navigation, step] = useReducer(navigate, startAt(screens.includes(first) ? first : 'overview'));
  const [visited, visit] = useState<ReadonlySet<Screen>>(new Set([navigation.target.screen]));
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [message, setMessage] = useState<Message | null>(null);
  const { asking, confirm } = useConfirmation();
  const feed = useFeed(account, session, online, now);

  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => setMessage(null), MESSAGE_MS[message.tone]);
    return () => clearTimeout(timer);
  }, [message]);

  const say = useCallback(
    (next: Message | null) => {
      setMessage(next);
      if (next !== null) messages.add(next);
    },
    [messages],
  );
  const fail = useCallback(
    (error: unknown) => {
      const failure = failureOf(error);
      if (failure.kind === 'unauthorized') session.expire(account, failure);
    },
    [account, session],
  );
  const close = useCallback(() => setDialog(null), []);
  const go = useCallback(
    (target: Target) => {
      if (!screens.includes(target.screen)) return;
      setDialog(null);
      visit((before) => (before.has(target.screen) ? before : new Set([...before, target.screen])));
      step({ type: 'go', target });
      store.setScreen(target.screen);
    },
    [screens, store],
  );
  const dashboard = useMemo<Dashboard>(
    () => ({
      client: account.client,
      ahead: account.ahead,
      me: account.me,
      profile,
      online,
      feed,
      now,
      fail,
      say,
      dialog,
      open: setDialog,
      close,
      confirm,
      asking,
      navigation,
      go,
      renew: session.renew,
      terminal,
      copy,
      glyphs,
      store,
    }),
    [
      account,
      session,
      profile,
      online,
      feed,
      now,
      fail,
      say,
      dialog,
      close,
      confirm,
      asking,
      navigation,
      go,
      terminal,
      copy,
      glyphs,
      store,
    ],
  );
  const { screen } = navigation.target;
  const frame = useMemo<Frame>(
    () => ({
      width,
      height: height - FRAME_ROWS,
      tabs: screens
        .map((name) => ({
          key: SCREENS.indexOf(name) < 9 ? String(SCREENS.indexOf(name) + 1) : '',
          title: VIEWS[name].title,
          open: name === screen,
        }))
        .filter(({ key, open }) => key !== '' || open),
      message,
    }),
    [width, height, screens, screen, message],
  );
  // The same elements as long as nothing concerns them: what changes around them renders no screen.
  const views = useMemo(
    () =>
      screens
        .filter((name) => visited.has(name) || name === screen)
        .map((name) => {
          const { View } = VIEWS[name];
          return <View key={name} visible={name === screen} />;
        }),
    [screens, visited, screen],
  );

  const powers = usePowers({ go, say });
  const to = (name: Screen) => (screens.includes(name) ? () => go({ screen: name }) : undefined);
  const canGoBack = navigation.before.length > 0;
  useCommands('app', {
    help: () => setDialog(helpDialog(powers())),
    palette: () => setDialog(paletteDialog(powers())),
    command: () => setDialog(commandDialog(powers(), store.get().commands, (line) => store.remember('commands', line))),
    back: canGoBack ? () => step({ type: 'back' }) : undefined,
    quitHere: canGoBack ? undefined : () => shell.quit(),
    quit: () => shell.quit(),
    signOut: account.how === 'password' ? () => void session.signOut(SIGN_OUT_MS) : undefined,
    goOverview: to('overview'),
    goErrlog: to('errlog'),
    goAgents: to('agents'),
    goApiTokens: to('apiTokens'),
    goUsers: to('users'),
    goAudit: to('audit'),
    goAccount: to('account'),
    goMessages: to('messages'),
    goRequests: to('requests'),
    goEnrollment: to('enrollment'),
    goOperations: to('operations'),
    goKernelRules: to('kernelRules'),
    goOutages: to('outages'),
    goProfiles: to('profiles'),
    goSettings: to('settings'),
    goInfo: to('info'),
  });

  return (
    <DashboardContext value={dashboard}>
      <FrameContext value={frame}>
        <Box flexDirection="column" width={width} height={height} display={online ? 'flex' : 'none'}>
          <LiveHeader account={account} feed={feed} width={width} />
          <Alerts />
          {views}
        </Box>
      </FrameContext>
    </DashboardContext>
  );
}

/** Leaving never waits longer than this for the server. */
const SIGN_OUT_MS = 1_000;
