// The last row: hints of the keys that work now, as many as fit.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Bound } from '../../keys/keyboard.ts';
import { keyName } from '../../keys/keymap.ts';
import { useBound } from '../../keys/use-commands.ts';
import { width as widthOf } from '../../text/width.ts';
import { type Run, Runs } from '../text.tsx';

const GAP = 2;

/** A key and a word for its command. */
export interface Hint {
  readonly key: string;
  readonly hint: string;
}

/** Returns the hints that fit. */
export function hintsThatFit(bound: readonly Bound[], width: number): Hint[] {
  const hints: Hint[] = [];
  const places = [...new Set(bound.map(({ place }) => place))];
  const inOrder = places.flatMap((place) => {
    const [early, late] = [false, true].map((isLate) =>
      bound.filter((one) => one.place === place && (one.binding.hintsLate === true) === isLate),
    );
    return [...(early ?? []), ...(late ?? [])];
  });
  for (const { binding } of inOrder) {
    const key = keyName(binding.keys[0] ?? '');
    // Skips a second key with the same hint, and a second hint of the same key.
    if (binding.hint === undefined || hints.some((one) => one.hint === binding.hint || one.key === key)) continue;
    hints.push({ key, hint: binding.hint });
  }
  const size = ({ key, hint }: Hint): number => widthOf(key) + 1 + widthOf(hint) + GAP;
  // The hint of the help is kept, because the help lists every key.
  const help = hints.filter(({ hint }) => hint === 'help');
  let room = width + GAP - help.reduce((sum, hint) => sum + size(hint), 0);
  const others = new Set<Hint>();
  for (const hint of hints.filter((entry) => !help.includes(entry))) {
    if (size(hint) > room) break;
    room -= size(hint);
    others.add(hint);
  }
  return hints.filter((hint) => help.includes(hint) || others.has(hint));
}

/** Renders the last row. It subscribes to the commands itself, so that a change renders one row. */
export function Footer({ width }: { readonly width: number }): ReactElement {
  const bound = useBound();
  const runs: Run[] = hintsThatFit(bound, width - 2).flatMap(({ key, hint }, index) => [
    { text: `${index === 0 ? '' : ' '.repeat(GAP)}${key}`, tone: 'key' as const },
    { text: ` ${hint}`, tone: 'muted' as const },
  ]);
  return (
    <Box height={1} paddingX={1}>
      <Runs runs={runs} />
    </Box>
  );
}
