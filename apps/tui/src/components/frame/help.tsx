// Every key that works on the screen underneath, from the keymap itself.
import { Box } from 'ink';
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import type { Bound } from '../../keys/keyboard.ts';
import { keyName, PLACES, type Place } from '../../keys/keymap.ts';
import { useBoundUnderneath, useCommands } from '../../keys/use-commands.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import { Runs, Text } from '../text.tsx';

/** One row of the help: a heading, a command, or nothing. */
export type HelpRow = { readonly heading: string } | { readonly keys: string; readonly help: string } | null;

/** The help's rows for what is bound. */
export function helpRows(bound: readonly Bound[]): HelpRow[] {
  const places = [...new Set(bound.map(({ place }) => place))];
  return places.flatMap((place: Place, index) => [
    ...(index === 0 ? [] : [null]),
    { heading: PLACES[place].title },
    ...bound
      .filter((entry) => entry.place === place)
      .map(({ binding }) => ({ keys: binding.keys.map(keyName).join('  '), help: binding.help })),
  ]);
}

interface HelpProps {
  readonly width: number;
  readonly height: number;
}

/** The help, scrolled where it is longer than the screen. */
export function Help({ width, height }: HelpProps): ReactElement {
  const { close } = useDashboard();
  const rows = helpRows(useBoundUnderneath());
  const [scroll, setScroll] = useState(0);
  const last = Math.max(0, rows.length - height);
  const from = Math.min(scroll, last);
  useCommands('help', {
    scrollDown: last > 0 ? (times) => setScroll(Math.min(last, from + 3 * times)) : undefined,
    scrollUp: last > 0 ? (times) => setScroll(Math.max(0, from - 3 * times)) : undefined,
    close: () => close(),
  });
  const keysWidth = Math.max(0, ...rows.map((row) => (row !== null && 'keys' in row ? widthOf(row.keys) : 0)));
  return (
    <Box flexDirection="column" paddingX={1} width={width} height={height} overflow="hidden">
      {rows.slice(from, from + height).map((row, index) => {
        const key = from + index;
        if (row === null) return <Text key={key}> </Text>;
        if ('heading' in row) {
          return (
            <Text key={key} tone="strong">
              {row.heading}
            </Text>
          );
        }
        return (
          <Runs key={key} runs={[{ text: `  ${fit(row.keys, keysWidth)}`, tone: 'key' }, { text: `   ${row.help}` }]} />
        );
      })}
    </Box>
  );
}
