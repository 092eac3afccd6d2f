// Runs the commands of keys: counts in front of them, chords, and runs of the same key.
import { type Input, strokeOf } from '../terminal/index.ts';
import type { Bound } from './bound-commands.ts';
import { type Chord, createChord } from './chord.ts';
import { createCount, type Hold } from './count.ts';

/** Parts of the keyboard that keys act on. */
export interface KeyTarget {
  readonly bound: () => readonly Bound[];
  readonly run: (command: Bound, times: number) => void;
  /** Puts presses in front of those that wait. */
  readonly requeue: (...inputs: readonly Input[]) => void;
}

/** Handles keys as commands. */
export interface KeyCommands {
  /** Handles a named key. */
  readonly stroke: (input: { readonly stroke: string }) => void;
  /** Handles printable characters, each as a key. */
  readonly characters: (input: { readonly text: string }) => void;
  /** Drops the count and the chord typed so far. */
  readonly reset: () => void;
}

/** Splits Alt and a key into Escape and that key. Terminals send the same bytes for both. */
function splitAlt(stroke: string): Input[] {
  const key = stroke.slice('alt+'.length);
  return [{ stroke: 'escape' }, [...key].length === 1 ? { text: key } : { stroke: key }];
}

/** Returns a function that handles a key pressed `times` in a row and returns the number of presses that it used. */
function createPress({ bound, run, requeue }: KeyTarget, chord: Chord): (stroke: string, times: number) => number {
  return (stroke, times) => {
    const command = chord.press(stroke, bound());
    if (command === 'pending') return 1;
    if (command !== null) {
      const used = command.binding.repeats === true ? times : 1;
      run(command, used);
      return used;
    }
    if (stroke.startsWith('alt+')) requeue(...splitAlt(stroke));
    return times;
  };
}

/** Creates the commands of keys. */
export function createKeyCommands(target: KeyTarget, hold?: Hold): KeyCommands {
  const { bound, run, requeue } = target;
  const count = createCount(hold);
  const chord = createChord();
  const press = createPress(target, chord);

  /** Returns the command of a single key; none while a chord is pending. */
  const commandOf = (stroke: string): Bound | undefined =>
    chord.isPending() ? undefined : bound().find(({ binding }) => binding.keys.includes(stroke));

  /** Adds a digit to the count, if a command that repeats is bound. Returns whether it did. */
  const addDigit = (character: string): boolean => {
    if (chord.isPending() || !count.takes(character)) return false;
    if (!bound().some(({ binding }) => binding.repeats === true)) return false;
    count.add(character, commandOf(character) === undefined ? null : () => press(character, 1));
    return true;
  };

  /**
   * Ends the count at a key. `used`: the key ran that many times. `requeued`: the digit was a command of its own, and
   * the key comes after it. `ignored`: the key is still to be handled.
   */
  const endCount = (stroke: string, input: Input): 'used' | 'requeued' | 'ignored' => {
    const typed = count.end();
    if (typed === null) return 'ignored';
    const command = commandOf(stroke);
    if (command?.binding.repeats === true) {
      run(command, typed.times);
      return 'used';
    }
    if (typed.alone === null) return 'ignored';
    requeue(input);
    typed.alone();
    return 'requeued';
  };

  const requeueText = (characters: readonly string[]): void => {
    if (characters.length > 0) requeue({ text: characters.join('') });
  };

  return {
    stroke(input) {
      if (endCount(input.stroke, input) === 'ignored') press(input.stroke, 1);
    },
    characters(input) {
      const characters = [...input.text];
      const [first = '', ...rest] = characters;
      const counted = addDigit(first) ? 'used' : endCount(strokeOf(first), input);
      if (counted === 'requeued') return;
      if (counted === 'used') {
        requeueText(rest);
        return;
      }
      const other = characters.findIndex((character) => character !== first);
      const used = press(strokeOf(first), other === -1 ? characters.length : other);
      requeueText(characters.slice(used));
    },
    reset() {
      count.end();
      chord.reset();
    },
  };
}
