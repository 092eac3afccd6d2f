// The root: the size of the terminal, the keyboard, the theme, and whether one is signed in.
import { Box, useWindowSize } from 'ink';
import { type ReactElement, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Footer } from './components/frame/footer.tsx';
import { Header } from './components/frame/header.tsx';
import { Notice } from './components/notice.tsx';
import { Text, ThemeContext } from './components/text.tsx';
import { type Session, type SessionState, subjectOf } from './data/session.ts';
import { createKeyboard } from './keys/keyboard.ts';
import { KeyboardContext, KeyboardInput, useBound, useCommands } from './keys/use-commands.ts';
import { SignInScreen } from './screens/sign-in/sign-in-screen.tsx';
import { themeFor } from './theme.ts';
import { Workspace } from './workspace.tsx';

const COLUMNS_MIN = 40;
const ROWS_MIN = 10;

interface AppProps {
  readonly session: Session;
  /** The server's address, as it is shown. */
  readonly server: string;
  readonly color: boolean;
  readonly now?: () => number;
  readonly copy: (text: string) => void;
  /** Takes the dashboard off the terminal. */
  readonly quit: () => void;
}

/** The dashboard. */
export function App({ session, server, color, now = Date.now, copy, quit }: AppProps): ReactElement {
  const [keyboard] = useState(() => createKeyboard());
  const [theme] = useState(() => themeFor({ color }));
  return (
    <KeyboardContext value={keyboard}>
      <ThemeContext value={theme}>
        <Root session={session} server={server} now={now} copy={copy} quit={quit} />
      </ThemeContext>
    </KeyboardContext>
  );
}

const accountIn = (state: SessionState) =>
  state.status === 'signedIn' || state.status === 'expired' ? state.account : null;

function Root({ session, server, now, copy, quit }: Required<Omit<AppProps, 'color'>>): ReactElement {
  const { columns, rows } = useWindowSize();
  const state = useSyncExternalStore(session.subscribe, session.state);
  const account = accountIn(state);
  const subject = useMemo(() => (account === null ? null : subjectOf(account)), [account]);
  const bound = useBound();
  useCommands('root', { quitNow: () => quit() });
  useEffect(() => session.start(), [session]);

  const tooSmall = columns < COLUMNS_MIN || rows < ROWS_MIN;
  const height = rows - 1;
  // Too small, or covered by the sign-in: what is below stays as it is, and is only not drawn.
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      <KeyboardInput subject={subject} />
      {tooSmall && <Text>{`Needs ${COLUMNS_MIN}x${ROWS_MIN}, has ${columns}x${rows}.`}</Text>}
      <Box display={tooSmall ? 'none' : 'flex'} flexDirection="column" width={columns} height={rows}>
        {account !== null && (
          <Workspace
            key={account.me.id}
            account={account}
            session={session}
            server={server}
            online={state.status === 'signedIn'}
            width={columns}
            height={height}
            now={now}
            copy={copy}
            onQuit={quit}
          />
        )}
        {state.status === 'connecting' && (
          <Connecting server={server} failure={state.failure?.message} width={columns} height={height} />
        )}
        {(state.status === 'signedOut' || state.status === 'expired') && (
          <SignInScreen
            server={server}
            notice={state.notice}
            username={account?.me.username}
            width={columns}
            height={height}
            signIn={session.signIn}
          />
        )}
        <Footer bound={bound} width={columns} />
      </Box>
    </Box>
  );
}

interface ConnectingProps {
  readonly server: string;
  readonly failure: string | undefined;
  readonly width: number;
  readonly height: number;
}

function Connecting({ server, failure, width, height }: ConnectingProps): ReactElement {
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Header server="" connection={{ text: '○ connecting', tone: 'muted' }} width={width} />
      <Notice
        title={failure ?? `Connecting to ${server}…`}
        tone={failure === undefined ? 'muted' : 'warning'}
        lines={failure === undefined ? [] : [server, 'It is tried again by itself.']}
        width={width}
        height={height - 1}
      />
    </Box>
  );
}
