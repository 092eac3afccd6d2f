// Chords: commands of several keys in order, such as `g g`.
import type { Bound, Unavailable } from './bound-commands.ts';

/** The commands that keys can reach. */
export interface Reach {
  readonly bound: readonly Bound[];
  readonly unavailable: readonly Unavailable[];
}

export type ChordResult =
  | { readonly kind: 'command'; readonly command: Bound }
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** No command has the chord that the key continues. */
  | { readonly kind: 'noSuchKey'; readonly keys: string }
  /** `pending`: the key starts or continues a chord; `cancelled`: it ended one; `unbound`: no command has it. */
  | { readonly kind: 'pending' | 'cancelled' | 'unbound' };

/** The keys of a chord pressed so far. */
export interface Chord {
  /** The keys; null if no chord has begun. */
  readonly prefix: () => string | null;
  readonly press: (stroke: string, reach: Reach) => ChordResult;
  readonly reset: () => void;
}

const begins = (keys: string, commands: readonly Bound[]): boolean =>
  commands.some(({ binding }) => binding.keys.some((key) => key.startsWith(`${keys} `)));

const find = <T extends Bound>(keys: string, commands: readonly T[]): T | undefined =>
  commands.find(({ binding }) => binding.keys.includes(keys));

/** Creates an empty chord. */
export function createChord(): Chord {
  let prefix: string | null = null;
  return {
    prefix: () => prefix,
    press(stroke, { bound, unavailable }) {
      const before = prefix;
      prefix = null;
      const keys = before === null ? stroke : `${before} ${stroke}`;
      // Quitting works in the middle of a chord too.
      const always = bound.filter(({ place }) => place === 'root');
      const command = find(keys, bound) ?? find(stroke, always);
      if (command !== undefined) return { kind: 'command', command };
      if (begins(keys, bound) || begins(keys, unavailable)) {
        prefix = keys;
        return { kind: 'pending' };
      }
      const refused = find(keys, unavailable);
      if (refused !== undefined) return { kind: 'unavailable', reason: refused.reason };
      if (before === null) return { kind: 'unbound' };
      return stroke === 'escape' ? { kind: 'cancelled' } : { kind: 'noSuchKey', keys };
    },
    reset() {
      prefix = null;
    },
  };
}
