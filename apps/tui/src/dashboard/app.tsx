// The root: terminal size, keyboard, theme, server, and sign-in.

import { refusalOf } from '@quarterdeck/views/actions';
import type { Binding } from '@quarterdeck/views/keys';
import { setZone } from '@quarterdeck/views/text';
import { Box, useWindowSize } from 'ink';
import { type ReactElement, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Footer } from '../components/frame/footer.tsx';
import { type Drawing, DrawingContext, Text, ThemeContext } from '../components/text.tsx';
import { type Shell, ShellContext } from '../context/shell.ts';
import type { Session, SessionState } from '../data/session.ts';
import { createKeyboard } from '../keys/keyboard.ts';
import { KeyboardContext, KeyboardInput, useCommands } from '../keys/use-commands.ts';
import type { Profile } from '../profiles/profile.ts';
import { Connecting } from '../screens/sign-in/connecting.tsx';
import { SignInScreen } from '../screens/sign-in/sign-in-screen.tsx';
import { customBindings } from '../settings/custom-commands.ts';
import { drawsAscii } from '../settings/settings.ts';
import type { Start } from '../start/start.ts';
import { useTerminal } from '../system/terminal.ts';
import { glyphsOf } from '../theme/glyphs.ts';
import { THEMES, themeFor } from '../theme/theme.ts';
import { Workspace } from './workspace.tsx';

const COLUMNS_MIN = 40;
const ROWS_MIN = 10;
/** Longest wait for the server when leaving it, milliseconds. */
const SIGN_OUT_MS = 1_000;

interface AppProps {
  readonly start: Start;
  /** Receives the present session, which is ended with the dashboard. */
  readonly onSession: (session: Session) => void;
  readonly copy: (text: string) => void;
  /** Takes the dashboard off the terminal. */
  readonly quit: () => void;
}

interface Connected {
  readonly profile: Profile;
  readonly session: Session;
}

export function App({ start, onSession, copy, quit }: AppProps): ReactElement {
  const [keyboard] = useState(() => createKeyboard());
  const [settings, setSettings] = useState(start.settings);
  const [{ profile, session }, setConnected] = useState<Connected>(() => ({
    profile: start.first,
    session: start.firstSession,
  }));
  const theme = useMemo(() => themeFor({ ...start, name: settings.theme }), [start, settings.theme]);
  // The option holds until the setting is changed.
  const [option, setOption] = useState(start.ascii);
  const ascii = drawsAscii(settings, { ascii: option, isUtf8: start.isUtf8 });
  const plainDrawing = ascii ? 'ascii' : 'glyphs';
  const drawing: Drawing = start.screenReader ? 'words' : plainDrawing;
  useEffect(() => onSession(session), [onSession, session]);

  const shell = useMemo<Shell>(() => {
    const profiles = [
      ...start.given,
      ...settings.profiles.filter(({ name }) => start.given.every((one) => one.name !== name)),
    ];
    return {
      profile,
      profiles,
      connectTo(name) {
        const next = profiles.find((one) => one.name === name);
        if (next === undefined) return `Unknown profile: ${name.slice(0, 40)}; :profiles lists them.`;
        void session.leave(SIGN_OUT_MS).finally(() => session.close());
        start.requests.clear();
        setConnected({ profile: next, session: start.connect(next) });
        return null;
      },
      settings,
      setSettings(next) {
        setZone(next.zone);
        if (next.ascii !== settings.ascii) setOption(undefined);
        setSettings(next);
        return start.save(next);
      },
      theme,
      themes: [...THEMES, ...start.palettes.keys()],
      glyphs: glyphsOf({ ascii, charts: settings.charts }),
      store: start.store,
      background: start.backgroundPrograms,
      now: start.now,
      copy,
      quit,
      requests: start.requests,
      messages: start.messages,
      problem: start.problem,
      facts: start.facts,
    };
  }, [start, profile, session, settings, ascii, theme, copy, quit]);

  return (
    <KeyboardContext value={keyboard}>
      <ThemeContext value={theme}>
        <DrawingContext value={drawing}>
          <ShellContext value={shell}>
            <Root session={session} shell={shell} start={start} />
          </ShellContext>
        </DrawingContext>
      </ThemeContext>
    </KeyboardContext>
  );
}

const accountIn = (state: SessionState) =>
  state.status === 'signedIn' || state.status === 'expired' ? state.account : null;

interface RootProps {
  readonly session: Session;
  readonly shell: Shell;
  readonly start: Start;
}

function Root({ session, shell, start }: RootProps): ReactElement {
  const { columns, rows } = useWindowSize();
  const terminal = useTerminal();
  const state = useSyncExternalStore(session.subscribe, session.state);
  const account = accountIn(state);
  const { profile, settings } = shell;
  const refusal = useCallback(
    (binding: Binding) => refusalOf(binding, account?.me ?? null, profile.readOnly),
    [account, profile.readOnly],
  );
  const custom = useMemo(() => customBindings(settings.commands), [settings.commands]);
  useCommands('root', {
    quitNow: () => shell.quit(),
    redraw: terminal === null ? undefined : () => terminal.repaint(),
    suspend: terminal === null ? undefined : () => terminal.stop(),
    mouse: terminal === null ? undefined : () => void shell.setSettings({ ...settings, mouse: !settings.mouse }),
  });
  useEffect(() => session.start(), [session]);
  useEffect(() => terminal?.setMouse(settings.mouse), [terminal, settings.mouse]);

  const tooSmall = columns < COLUMNS_MIN || rows < ROWS_MIN;
  const height = rows - 1;
  // A terminal that is too small, or the sign-in, hides the workspace but keeps its state.
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      <KeyboardInput refusal={refusal} rebound={settings.keys} custom={custom} />
      {tooSmall && <Text>{`Needs ${COLUMNS_MIN}x${ROWS_MIN}, has ${columns}x${rows}.`}</Text>}
      <Box display={tooSmall ? 'none' : 'flex'} flexDirection="column" width={columns} height={rows}>
        {account !== null && (
          <Workspace
            key={`${profile.name} ${account.me.id}`}
            account={account}
            session={session}
            online={state.status === 'signedIn'}
            width={columns}
            height={height}
            first={start.firstScreen}
          />
        )}
        {state.status === 'connecting' && <Connecting failure={state.failure} width={columns} height={height} />}
        {(state.status === 'signedOut' || state.status === 'expired') && (
          <SignInScreen
            key={profile.name}
            notice={state.notice}
            username={account?.me.username}
            width={columns}
            height={height}
            signIn={session.signIn}
            signInByCode={session.signInByCode}
            canRemember={start.canRemember}
          />
        )}
        <Footer width={columns} />
      </Box>
    </Box>
  );
}
