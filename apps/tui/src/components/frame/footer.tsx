// The last row: hints of the keys that work now, as many as fit.

import { keyName } from '@quarterdeck/views/keys';
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Bound } from '../../keys/keyboard.ts';
import { letterOf } from '../../keys/letters.ts';
import { useBound } from '../../keys/use-commands.ts';
import { width as widthOf } from '../../text/width.ts';
import { type Run, Runs } from '../text.tsx';

const GAP = 2;

/** A key and a word for its command. */
export interface Hint {
  readonly key: string;
  readonly hint: string;
}

const chordsOf = (bound: readonly Bound[]): string[] =>
  bound.flatMap(({ binding }) => binding.keys).filter((key) => key.includes(' '));
const prefixOf = (chord: string): string => chord.split(' ')[0] ?? '';

/** The hint of the menu that names every screen. */
export function goToHint(bound: readonly Bound[]): Hint[] {
  const [chord] = chordsOf(bound.filter(({ place, command }) => place === 'app' && command.startsWith('go')));
  return chord === undefined ? [] : [{ key: keyName(prefixOf(chord)), hint: 'go to' }];
}

/** The hints of the other menus. */
const prefixHints = (bound: readonly Bound[], goTo: readonly Hint[]): Hint[] =>
  [...new Set(chordsOf(bound).map(prefixOf))].flatMap((prefix) => {
    const { hint } = letterOf(prefix) ?? {};
    const key = keyName(prefix);
    return hint === undefined || goTo.some((one) => one.key === key) ? [] : [{ key, hint }];
  });

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
    // The menu of a prefix names the keys of chords.
    if (key.includes(' ')) continue;
    // Skips a second key with the same hint, and a second hint of the same key.
    if (binding.hint === undefined || hints.some((one) => one.hint === binding.hint || one.key === key)) continue;
    hints.push({ key, hint: binding.hint });
  }
  const size = ({ key, hint }: Hint): number => widthOf(key) + 1 + widthOf(hint) + GAP;
  // These hints are kept, because the help lists every key and the menu every screen.
  const help = hints.filter(({ hint }) => hint === 'help');
  const goTo = goToHint(bound);
  const inPlace = hints.flatMap((entry) =>
    help.includes(entry) ? [...prefixHints(bound, goTo), ...goTo, entry] : [entry],
  );
  const kept = [...help, ...goTo];
  let room = width + GAP;
  const fitting = new Set<Hint>();
  for (const hint of [...kept, ...inPlace.filter((entry) => !kept.includes(entry))]) {
    if (size(hint) > room) break;
    room -= size(hint);
    fitting.add(hint);
  }
  return inPlace.filter((hint) => fitting.has(hint));
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
