// Sign-in with username and password, at the start and after a session has ended.
import { Box } from 'ink';
import { type ReactElement, use, useEffect, useState } from 'react';
import { formLines } from '../../components/form/form-lines.ts';
import type { Field } from '../../components/form/form-state.ts';
import { useForm } from '../../components/form/use-form.ts';
import { Header } from '../../components/frame/header.tsx';
import { Runs, Text } from '../../components/text.tsx';
import type { Failure } from '../../data/failure.ts';
import type { SignInInput } from '../../data/session.ts';
import { createKeyOf, type KeyOf, pressTo } from '../../keys/key-hints.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { ShellContext } from '../../shell.ts';
import { cut, wrap } from '../../text/width.ts';
import type { Tone } from '../../theme.ts';
import { ServerChoice } from './server-choice.tsx';

const FIELDS: readonly Field[] = [
  { kind: 'text', name: 'username', label: 'Username', max: 255 },
  { kind: 'text', name: 'password', label: 'Password', max: 1024, masked: true },
  { kind: 'check', name: 'remember', label: 'Remember', text: 'stay signed in for 31 days' },
];

/** Shown once the server asks for it. */
const CODE: Field = { kind: 'text', name: 'otp', label: 'Code', max: 64, hint: 'from your app, or a recovery code' };

const BOX_WIDTH = 58;

interface SignInScreenProps {
  /** The reason why the session ended or the token was refused. */
  readonly notice: string | null;
  /** The user of the session before. */
  readonly username?: string | undefined;
  readonly width: number;
  /** Rows of the whole screen without the footer. */
  readonly height: number;
  readonly signIn: (input: SignInInput) => Promise<Failure | null>;
}

/** The screen. */
export function SignInScreen({ notice, username = '', width, height, signIn }: SignInScreenProps): ReactElement {
  const { profile, profiles, now, settings } = use(ShellContext);
  const [wantsCode, setWantsCode] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const form = useForm(() => (wantsCode ? [...FIELDS, CODE] : FIELDS), {
    username,
    password: '',
    remember: '',
    otp: '',
  });
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const { focusOn, set } = form;
  const { values } = form.state;

  // Once, when the screen opens
  useEffect(() => {
    if (username !== '') focusOn('password');
  }, []);

  const submit = (): void => {
    const { username: name = '', password = '', remember, otp = '' } = values;
    if (name === '' || password === '') {
      focusOn(name === '' ? 'username' : 'password');
      return;
    }
    if (wantsCode && otp === '') {
      focusOn('otp');
      return;
    }
    setBusy(true);
    setFailure(null);
    void signIn({ username: name, password, remember: remember === 'yes', otp: otp || undefined }).then((refusal) => {
      setBusy(false);
      setFailure(refusal);
      set('otp', '');
      if (refusal?.code === 'otp_required') {
        // The password was right; it is sent again with the code.
        setWantsCode(true);
        focusOn('otp');
        return;
      }
      setWantsCode(false);
      // A wrong password is cleared; one that did not reach the server is kept.
      if (refusal !== null && refusal.kind !== 'unreachable') {
        set('password', '');
        focusOn('password');
      }
    });
  };
  const others = profiles.length > 1 ? () => setChoosing(true) : undefined;
  useCommands('signIn', busy ? {} : { submit, profiles: others, ...form.commands }, {
    active: !choosing,
    onText: busy ? () => undefined : form.onText,
  });

  const room = Math.min(BOX_WIDTH, width - 4);
  const keyOf = createKeyOf(settings.keys, () => true);
  const [tone, status] = statusText({ busy, failure, notice, keyOf });
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
