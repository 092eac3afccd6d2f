// Chords: commands of several keys in order, such as `g g`.
import type { Bound } from './bound-commands.ts';

/** The keys of a chord pressed so far. */
export interface Chord {
  readonly isPending: () => boolean;
  /**
   * Adds a key. Returns the command it completes, `pending` if it starts or continues a chord, and null if no command
   * has it. A key that does not continue the chord starts again.
   */
  readonly press: (stroke: string, bound: readonly Bound[]) => Bound | 'pending' | null;
  readonly reset: () => void;
}

/** Creates an empty chord. */
export function createChord(): Chord {
  let pressed: string | null = null;
  return {
    isPending: () => pressed !== null,
    press(stroke, bound) {
      const attempts = pressed === null ? [stroke] : [`${pressed} ${stroke}`, stroke];
      pressed = null;
      for (const keys of attempts) {
        const hit = bound.find(({ binding }) => binding.keys.includes(keys));
        if (hit !== undefined) return hit;
        if (bound.some(({ binding }) => binding.keys.some((key) => key.startsWith(`${keys} `)))) {
          pressed = keys;
          return 'pending';
        }
      }
      return null;
    },
    reset() {
      pressed = null;
    },
  };
}
