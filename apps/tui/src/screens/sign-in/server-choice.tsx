// The choice of another server while signed in to none.
import { Box } from 'ink';
import { type ReactElement, use, useState } from 'react';
import type { Area } from '../../components/geometry.ts';
import { Runs } from '../../components/text.tsx';
import { ShellContext } from '../../context/shell.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import { on } from '../../theme/theme.ts';

interface ServerChoiceProps extends Area {
  /** Absent where there is nothing to go back to. */
  readonly onClose?: () => void;
}

export function ServerChoice({ width, height, onClose }: ServerChoiceProps): ReactElement {
  const { profile, profiles, connectTo } = use(ShellContext);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      profiles.findIndex(({ name }) => name === profile.name),
    ),
  );
  const to = (index: number): void => setAt(Math.max(0, Math.min(index, profiles.length - 1)));
  useCommands('signInProfiles', {
    take: () => void connectTo(profiles[at]?.name ?? ''),
    next: (times) => to(at + times),
    previous: (times) => to(at - times),
    close: onClose === undefined ? undefined : () => onClose(),
  });
  const names = Math.max(8, ...profiles.map(({ name }) => widthOf(name)));
  const room = Math.min(70, width - 4);
  const rows = profiles.slice(Math.max(0, at - height + 4)).map(({ name, url, readOnly }): Line => {
    const ground = name === profiles[at]?.name ? ('selected' as const) : undefined;
    return [
      { text: ground === undefined ? '  ' : '▌ ', tone: on('accent', ground) },
      { text: `${fit(name, names)}  `, tone: on('strong', ground) },
      { text: fit(`${url}${readOnly ? '  [RO]' : ''}`, Math.max(1, room - names - 4)), tone: on('muted', ground) },
    ];
  });
  return (
    <Box width={width} height={height} alignItems="center" justifyContent="center" overflow="hidden">
      <Box flexDirection="column" width={room}>
        <Runs runs={[{ text: 'Choose a server', tone: 'title' }]} />
        <Runs runs={[{ text: ' ' }]} />
        {rows.map((line, row) => (
          <Runs key={row} runs={line} />
        ))}
      </Box>
    </Box>
  );
}
