// Sign-in with username and password, at the start and after a session has ended.

import type { ShownCode } from '@quarterdeck/sdk';
import type { Failure } from '@quarterdeck/views/failures';
import { Box } from 'ink';
import { type ReactElement, use, useEffect, useRef, useState } from 'react';
import { formLines } from '../../components/form/form-lines.ts';
import { Header } from '../../components/frame/header.tsx';
import { Runs, Text } from '../../components/text.tsx';
import { ShellContext } from '../../context/shell.ts';
import { createKeyOf, type KeyOf, pressTo } from '../../keys/key-hints.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { cut, wrap } from '../../text/width.ts';
import type { Tone } from '../../theme/theme.ts';
import { ServerChoice } from './server-choice.tsx';
import { type SignIn, useSignIn } from './use-sign-in.ts';

/** Signs in with a code; returns the failure, or null. */
type SignInByCode = (onCode: (shown: ShownCode) => void, signal: AbortSignal) => Promise<Failure | null>;

interface CodeSignIn {
  /** The address and the code to type there; null before there is a code. */
  readonly text: string | null;
  readonly failure: Failure | null;
  /** Begins, or begins again with another code. */
  readonly start: () => void;
}

/** The sign-in, which ends with the screen. */
function useCode(signIn: SignInByCode): CodeSignIn {
  const [text, setText] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = (): void => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setFailure(null);
    setText('Requesting a code…');
    void signIn(({ address, code }) => setText(`Open ${address} in a browser and type ${code}`), own.signal).then(
      (refusal) => {
        if (own.signal.aborted) return;
        setText(null);
        setFailure(refusal);
      },
    );
  };
  return { text, failure, start };
}

const BOX_WIDTH = 58;

interface SignInScreenProps {
  /** The reason why the session ended or the token was refused. */
  readonly notice: string | null;
  /** The user of the session before. */
  readonly username?: string | undefined;
  readonly width: number;
  /** Rows of the whole screen without the footer. */
  readonly height: number;
  readonly signIn: SignIn;
  readonly signInByCode: SignInByCode;
  /** A session can be stored for the next start. */
  readonly canRemember: boolean;
}

export function SignInScreen(props: SignInScreenProps): ReactElement {
  const { notice, username = '', width, height, signIn, signInByCode, canRemember } = props;
  const { profile, profiles, now, settings, problem } = use(ShellContext);
  const [choosing, setChoosing] = useState(false);
  const { form, busy, failure, submit } = useSignIn(username, signIn, canRemember);
  const byCode = useCode(signInByCode);
  const others = profiles.length > 1 ? () => setChoosing(true) : undefined;
  useCommands('signIn', busy ? {} : { submit, code: byCode.start, profiles: others, ...form.commands }, {
    active: !choosing,
    onText: busy ? () => undefined : form.onText,
  });

  const room = Math.min(BOX_WIDTH, width - 4);
  const keyOf = createKeyOf(settings.keys, () => null);
  // Without the settings that a damaged file contains, this may be the wrong server.
  const [tone, status] = statusText({
    busy,
    failure: failure ?? byCode.failure,
    notice: byCode.text ?? notice ?? problem,
    keyOf,
  });
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Header facts={{ profile, connection: { text: '○ not signed in', tone: 'muted' }, nowMs: now() }} width={width} />
      {choosing && <ServerChoice width={width} height={height - 1} onClose={() => setChoosing(false)} />}
      <Box display={choosing ? 'none' : 'flex'} flexGrow={1} alignItems="center" justifyContent="center">
        <Box flexDirection="column" width={room}>
          <Text tone="title">{`Sign in to ${cut(profile.name, room - 11)}`}</Text>
          <Text tone="muted">{cut(profile.url, room)}</Text>
          <Text> </Text>
          {formLines(form.fields, form.state, room, !busy).map((line, row) => (
            <Runs key={row} runs={line} />
          ))}
          <Text> </Text>
          {/* Always three rows, so that nothing moves when there is something to say. */}
          <Box flexDirection="column" height={3} overflow="hidden">
            {wrap(status, room).map((row) => (
              <Text key={row} tone={tone}>
                {row}
              </Text>
            ))}
          </Box>
        </Box>
      </Box>
    </Box>
  );
}

interface Status {
  readonly busy: boolean;
  readonly failure: Failure | null;
  readonly notice: string | null;
  readonly keyOf: KeyOf;
}

/** The text below the form. */
function statusText({ busy, failure, notice, keyOf }: Status): readonly [Tone, string] {
  if (busy) return ['muted', 'Signing in…'];
  if (failure?.kind === 'unreachable')
    return ['warning', [failure.message, ...pressTo(keyOf('signIn.submit'), 'try again')].join(' ')];
  if (failure?.code === 'otp_required') return ['warning', failure.message];
  if (failure !== null) return ['bad', failure.message];
  return ['warning', notice ?? ' '];
}
