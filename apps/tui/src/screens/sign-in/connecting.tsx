// The screen while a configured token is tried. Other servers can be chosen meanwhile.

import type { Failure } from '@quarterdeck/views/failures';
import { Box } from 'ink';
import { type ReactElement, use } from 'react';
import { Header } from '../../components/frame/header.tsx';
import type { Area } from '../../components/geometry.ts';
import { Notice } from '../../components/notice.tsx';
import { ShellContext } from '../../context/shell.ts';
import { ServerChoice } from './server-choice.tsx';

interface ConnectingProps extends Area {
  readonly failure: Failure | null;
}

/** The server, and the last failure. */
export function Connecting({ failure, width, height }: ConnectingProps): ReactElement {
  const { profile, profiles, now, problem } = use(ShellContext);
  const offers = profiles.length > 1;
  const below = offers ? Math.min(profiles.length + 4, Math.floor(height / 2)) : 0;
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Header facts={{ profile, connection: { text: '○ connecting', tone: 'muted' }, nowMs: now() }} width={width} />
      <Notice
        title={failure?.message ?? `Connecting to ${profile.url}…`}
        tone={failure === null ? 'muted' : 'warning'}
        lines={failure === null ? [] : [profile.url, 'Retrying automatically.', ...(problem === null ? [] : [problem])]}
        width={width}
        height={height - 1 - below}
      />
      {offers && <ServerChoice width={width} height={below} />}
    </Box>
  );
}
