// Decides who hears a key. Knows places, handlers and the queue of presses; knows nothing of React or Ink.

import type { Input, Mouse } from '../terminal/index.ts';
import { strokeOf } from '../terminal/index.ts';
import { createCount, type Hold } from './count.ts';
import { type Binding, bindingsOf, PLACES, type Place, type Rank, type Rebound } from './keymap.ts';

/** Runs a command; `times` is more than 1 only for commands that repeat. */
export type Handler = (times: number) => void;

/** What a place does with the keyboard at the moment. */
export interface Listener {
  /** Whose it is: only the owner can take it away. */
  readonly owner: object;
  readonly handlers: Readonly<Record<string, Handler | undefined>>;
  /** Takes printable text; while it is set, letters are text and not commands. */
  readonly onText?: ((text: string) => void) | undefined;
  readonly onMouse?: ((mouse: Mouse) => void) | undefined;
}

/** A command that can be run right now. */
export interface Bound {
  readonly place: Place;
  readonly command: string;
  readonly binding: Binding;
}

/** The one keyboard of the dashboard. */
export interface Keyboard {
  /** Says what a place does from now on. */
  readonly set: (place: Place, listener: Listener) => void;
  /** Takes a place away, unless somebody else has it by now. */
  readonly remove: (place: Place, owner: object) => void;
  /** How to run something after the screen has taken in the last key; by default at once. */
  readonly setLater: (later: (run: () => void) => void) => void;
  /** Which commands may be run by whoever is at the keyboard. */
  readonly setAllowed: (allowed: (binding: Binding) => boolean) => void;
  /** Keys that are not those of the table. */
  readonly setRebound: (rebound: Rebound) => void;
  /** Runs a command as if its key had been pressed, once the screen has taken in the last key. */
  readonly run: (place: Place, command: string) => void;
  /**
   * What was pressed or pasted, in order. A paste is text where text is taken, otherwise nothing: it is no set of
   * commands.
   */
  readonly press: (inputs: readonly Input[]) => void;
  /** What can be run now, the place that hears first. The same array until that changes. */
  readonly bound: () => readonly Bound[];
  /** What could be run if no overlay were open; for the help. */
  readonly underneath: () => readonly Bound[];
  readonly subscribe: (listener: () => void) => () => void;
}

/** A command that was asked for by name. */
interface Order {
  readonly place: Place;
  readonly command: string;
}

/** Whether the same commands can be run. */
function sameCommands(a: Listener['handlers'], b: Listener['handlers']): boolean {
  const names = Object.keys(a);
  const others = Object.keys(b);
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && (a[name] === undefined) === (b[name] === undefined))
  );
}

const COVERS: readonly Rank[] = ['modal', 'overlay', 'screen'];

/** Makes a keyboard. */
export function createKeyboard(hold?: Hold): Keyboard {
  const count = createCount(hold);
  let later = (run: () => void): void => run();
  const listeners = new Map<Place, Listener>();
  const watchers = new Set<() => void>();
  let allowed: (binding: Binding) => boolean = ({ access }) => access === undefined;
  let rebound: Rebound = {};
  let queue: (Input | Order)[] = [];
  let waiting = false;
  let sequence: string | undefined;
  let boundNow: readonly Bound[] = [];
  let boundUnderneath: readonly Bound[] = [];
  let signature = '';

  const placesOf = (rank: Rank): Place[] => [...listeners.keys()].filter((place) => PLACES[place].rank === rank);
  const topRank = (): Rank => COVERS.find((rank) => placesOf(rank).length > 0) ?? 'screen';
  // `app` is heard after the screen that is open.
  const inOrder = (rank: Rank): Place[] => placesOf(rank).sort((a, b) => Number(a === 'app') - Number(b === 'app'));

  const boundIn = (places: readonly Place[]): Bound[] =>
    places.flatMap((place) =>
      bindingsOf(place, rebound)
        .filter(([command]) => listeners.get(place)?.handlers[command] !== undefined)
        .filter(([, binding]) => allowed(binding))
        .map(([command, binding]) => ({ place, command, binding })),
    );

  const update = (): void => {
    const now = boundIn([...inOrder(topRank()), ...placesOf('root')]);
    const underneath = boundIn([...inOrder('screen'), ...placesOf('root')]);
    const next = JSON.stringify(
      [now, underneath].map((list) => list.map(({ place, command, binding }) => [place, command, binding.keys])),
    );
    if (next === signature) return;
    signature = next;
    boundNow = now;
    boundUnderneath = underneath;
    for (const watcher of watchers) watcher();
  };

  /** Who takes text, or hears the mouse, where the keys go. */
  const taker = <K extends 'onText' | 'onMouse'>(what: K): Listener[K] => {
    for (const place of inOrder(topRank())) {
      const found = listeners.get(place)?.[what];
      if (found !== undefined) return found;
    }
    return undefined;
  };

  /** Runs what the stroke is bound to; returns how many of `times` were used up. */
  const strike = (stroke: string, times: number): number => {
    const tried = sequence === undefined ? stroke : `${sequence} ${stroke}`;
    const hit = boundNow.find(({ binding }) => binding.keys.includes(tried));
    if (hit !== undefined) {
      sequence = undefined;
      const used = hit.binding.repeats === true ? times : 1;
      listeners.get(hit.place)?.handlers[hit.command]?.(used);
      return used;
    }
    if (boundNow.some(({ binding }) => binding.keys.some((key) => key.startsWith(`${tried} `)))) {
      sequence = tried;
      return 1;
    }
    if (sequence !== undefined) {
      sequence = undefined;
      return strike(stroke, times);
    }
    // Escape followed at once by another key arrives as Alt and that key.
    if (stroke.startsWith('alt+')) {
      const rest = stroke.slice('alt+'.length);
      queue.unshift({ stroke: 'escape' }, [...rest].length === 1 ? { text: rest } : { stroke: rest });
    }
    return times;
  };

  const hitOf = (stroke: string): Bound | undefined =>
    sequence === undefined ? boundNow.find(({ binding }) => binding.keys.includes(stroke)) : undefined;

  /** Takes a digit as the beginning of a count, where there is anything to count. */
  const counts = (character: string): boolean => {
    if (sequence !== undefined || !count.takes(character)) return false;
    if (!boundNow.some(({ binding }) => binding.repeats === true)) return false;
    count.add(character, hitOf(character) === undefined ? null : () => strike(character, 1));
    return true;
  };

  /** Runs a key as often as the digits before it say. False: it is still to be run, after what the digits were. */
  const counted = (stroke: string, press: Input): boolean => {
    const typed = count.end();
    if (typed === null) return false;
    const hit = hitOf(stroke);
    if (hit?.binding.repeats === true) {
      listeners.get(hit.place)?.handlers[hit.command]?.(typed.times);
      return true;
    }
    if (typed.alone === null) return false;
    queue.unshift(press);
    typed.alone();
    return true;
  };

  const step = (press: Input | Order): void => {
    if ('paste' in press) {
      taker('onText')?.(press.paste);
      return;
    }
    if ('mouse' in press) {
      taker('onMouse')?.(press.mouse);
      return;
    }
    if ('command' in press) {
      const { place, command } = press;
      const isBound = boundNow.some((bound) => bound.place === place && bound.command === command);
      if (isBound) listeners.get(place)?.handlers[command]?.(1);
      return;
    }
    if ('stroke' in press) {
      if (!counted(press.stroke, press)) strike(press.stroke, 1);
      return;
    }
    const onText = taker('onText');
    if (onText !== undefined) {
      sequence = undefined;
      count.end();
      onText(press.text);
      return;
    }
    const characters = [...press.text];
    const first = characters[0] ?? '';
    const later = characters.slice(1).join('');
    if (counts(first) || counted(strokeOf(first), press)) {
      if (later !== '' && queue[0] !== press) queue.unshift({ text: later });
      return;
    }
    const other = characters.findIndex((character) => character !== first);
    const used = strike(strokeOf(first), other === -1 ? characters.length : other);
    const rest = characters.slice(used).join('');
    if (rest !== '') queue.unshift({ text: rest });
  };

  // A key may open what the next one is meant for, so each waits until the screen has caught up with the one before.
  // So does one that comes while the screen is still taking in the last key of a chunk.
  const drain = (isLater = false): void => {
    waiting = false;
    const press = queue.shift();
    if (press === undefined) return;
    step(press);
    if ((queue.length > 0 || isLater) && !waiting) {
      waiting = true;
      later(drainLater);
    }
  };
  const drainLater = (): void => drain(true);

  return {
    set(place, listener) {
      const before = listeners.get(place);
      listeners.set(place, listener);
      // Nearly every time only the handlers are new ones, for the same commands.
      if (before === undefined || !sameCommands(before.handlers, listener.handlers)) update();
    },
    remove(place, owner) {
      if (listeners.get(place)?.owner !== owner) return;
      listeners.delete(place);
      update();
    },
    setLater(next) {
      later = next;
    },
    setAllowed(next) {
      allowed = next;
      update();
    },
    setRebound(next) {
      rebound = next;
      update();
    },
    run(place, command) {
      queue.unshift({ place, command });
      if (waiting) return;
      waiting = true;
      later(drainLater);
    },
    press(inputs) {
      queue = [...queue, ...inputs];
      if (!waiting) drain();
    },
    bound: () => boundNow,
    underneath: () => boundUnderneath,
    subscribe(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
