// Keys that wait for the next one, above the last row, and the menu of a chord that has begun.

import { keyName } from '@quarterdeck/views/keys';
import { Box } from 'ink';
import { type ReactElement, useEffect, useState } from 'react';
import { type BegunChord, menuLines } from '../../keys/key-menu.ts';
import { useBound, usePending, useUnavailable } from '../../keys/use-commands.ts';
import { width as widthOf } from '../../text/width.ts';
import { Floating } from '../dialog/floating.tsx';
import type { Area } from '../geometry.ts';
import { Runs } from '../text.tsx';

/** Pause after which the menu opens, milliseconds. A chord that is typed faster draws no menu. */
const PAUSE_MS = 150;

interface KeyMenuProps extends Area {}

function Menu({ chord, width, height }: KeyMenuProps & { readonly chord: BegunChord }): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  const bound = useBound();
  const unavailable = useUnavailable();
  useEffect(() => {
    let immediate: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      // On a busy machine the next key may have arrived during the pause; it is handled first.
      immediate = setImmediate(() => setOpen(true));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
  }, []);
  if (!isOpen) return null;
  const lines = menuLines(chord, { bound, unavailable }, width, height);
  return <Floating lines={lines} columns={width} width={width} height={height} top={height - lines.length} />;
}

/** Renders both over the screen. It subscribes to the keys itself, so that a key renders only this. */
export function KeyMenu({ width, height }: KeyMenuProps): ReactElement | null {
  const { count, prefix } = usePending();
  const typed = `${count}${prefix === null ? '' : keyName(prefix)}`;
  if (typed === '') return null;
  return (
    <>
      <Box position="absolute" marginTop={height - 1} marginLeft={Math.max(0, width - widthOf(typed) - 2)}>
        <Runs runs={[{ text: ` ${typed} `, tone: 'key' }]} />
      </Box>
      {prefix !== null && <Menu chord={{ prefix, count }} width={width} height={height} />}
    </>
  );
}
