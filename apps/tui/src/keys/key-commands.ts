// Runs the commands of keys: counts in front of them, chords, and runs of the same key.

import { keyName } from '@quarterdeck/views/keys';
import { type Input, strokeOf } from '../terminal/index.ts';
import type { Bound } from './bound-commands.ts';
import { type Chord, createChord, type Reach } from './chord.ts';
import { createCount, type Hold } from './count.ts';

/** Keys that wait for the next one. */
export interface Pending {
  /** Digits of a count; empty if none was typed. */
  readonly count: string;
  /** Keys of a chord; null if none has begun. */
  readonly prefix: string | null;
}

/** No keys. */
export const NOTHING_PENDING: Pending = { count: '', prefix: null };

/** Parts of the keyboard that keys act on. */
export interface KeyTarget {
  readonly reach: () => Reach;
  readonly run: (command: Bound, times: number) => void;
  /** Puts presses in front of those that wait. */
  readonly requeue: (...inputs: readonly Input[]) => void;
  /** Says why keys that no command has now do nothing; null if no screen has them. */
  readonly whyNot: (keys: string) => string | null;
  /** Tells the user why a key did nothing. */
  readonly say: (text: string) => void;
  readonly onPending: (pending: Pending) => void;
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
  if (!stroke.startsWith('alt+')) return [{ stroke }];
  const key = stroke.slice('alt+'.length);
  return [{ stroke: 'escape' }, [...key].length === 1 ? { text: key } : { stroke: key }];
}

/** Returns a function that handles a key pressed `times` in a row and returns the number of presses that it used. */
function createPress(target: KeyTarget, chord: Chord): (stroke: string, times: number) => number {
  const { reach, run, requeue, say } = target;
  return (stroke, times) => {
    const isInChord = chord.prefix() !== null;
    const result = chord.press(stroke, reach());
    if (result.kind === 'command') {
      // The same key after a chord begins the next one.
      const used = result.command.binding.repeats === true && !isInChord ? times : 1;
      run(result.command, used);
      return used;
    }
    if (result.kind === 'pending' || result.kind === 'cancelled') return 1;
    if (stroke.startsWith('alt+')) {
      // The Escape of the pair has already left a chord.
      requeue(...splitAlt(stroke).slice(isInChord ? 1 : 0));
    } else if (result.kind === 'noSuchKey') {
      say(`${keyName(result.keys)}: ${target.whyNot(result.keys) ?? 'no such key'}`);
      return 1;
    } else if (result.kind === 'unavailable') say(result.reason);
    return times;
  };
}

/** Creates the commands of keys. */
export function createKeyCommands(target: KeyTarget, hold?: Hold): KeyCommands {
  const { reach, run, requeue, onPending } = target;
  const chord = createChord();
  const press = createPress(target, chord);
  const showPending = (): void => onPending({ count: count.digits(), prefix: chord.prefix() });
  const count = createCount(hold);

  const commandsThat = (test: (key: string) => boolean): Bound[] =>
    reach().bound.filter(({ binding }) => binding.keys.some(test));
  const repeats = (commands: readonly Bound[]): boolean => commands.some(({ binding }) => binding.repeats === true);

  /** Adds a digit to the count, if a command that repeats is bound. Returns whether it did. */
  const addDigit = (character: string): boolean => {
    if (chord.prefix() !== null || !count.takes(character)) return false;
    const { bound, unavailable } = reach();
    if (!repeats(bound)) return false;
    const isCommand = [...bound, ...unavailable].some(({ binding }) => binding.keys.includes(character));
    const alone = (): void => {
      press(character, 1);
      showPending();
    };
    count.add(character, isCommand ? alone : null);
    return true;
  };

  /**
   * Ends the count at a key. `used`: the key ran that many times, or cancelled the count. `requeued`: the digit was a
   * command of its own, and the key comes after it. `ignored`: the key is still to be handled.
   */
  const endCount = (stroke: string, input: Input): 'used' | 'requeued' | 'ignored' => {
    if (count.digits() === '') return 'ignored';
    const prefix = chord.prefix();
    const keys = prefix === null ? stroke : `${prefix} ${stroke}`;
    if (repeats(commandsThat((key) => key.startsWith(`${keys} `)))) {
      count.keep();
      return 'ignored';
    }
    const typed = count.end();
    const [command] = commandsThat((key) => key === keys);
    if (command?.binding.repeats === true) {
      chord.reset();
      run(command, typed?.times ?? 1);
      return 'used';
    }
    if ((stroke === 'escape' && prefix === null) || (command === undefined && stroke.startsWith('alt+'))) {
      chord.reset();
      requeue(...splitAlt(stroke).slice(1));
      return 'used';
    }
    if (typed === null || typed.alone === null) return 'ignored';
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
      showPending();
    },
    characters(input) {
      const characters = [...input.text];
      const [first = '', ...rest] = characters;
      const counted = addDigit(first) ? 'used' : endCount(strokeOf(first), input);
      if (counted === 'used') requeueText(rest);
      if (counted === 'ignored') {
        const other = characters.findIndex((character) => character !== first);
        const used = press(strokeOf(first), other === -1 ? characters.length : other);
        requeueText(characters.slice(used));
      }
      showPending();
    },
    reset() {
      count.end();
      chord.reset();
      showPending();
    },
  };
}
