// Places of the dashboard that hear keys, and which of them hear keys now.
import type { Mouse } from '../terminal/index.ts';
import { PLACES, type Place, type Rank } from './keymap.ts';

/** Runs a command; `times` is more than 1 only for commands that repeat. `argument` is the text typed behind it. */
export type Handler = (times: number, argument?: string) => void;

/** The handler of a command, or the reason why it cannot run now. */
export type Runnable = Handler | string;

/** Commands and input handlers of a place. */
export interface Listener {
  /** The component that listens. Only the owner can remove its listener. */
  readonly owner: object;
  readonly handlers: Readonly<Record<string, Runnable | undefined>>;
  /** Takes printable text. While it is set, letters are text and not commands. */
  readonly onText?: ((text: string) => void) | undefined;
  readonly onMouse?: ((mouse: Mouse) => void) | undefined;
}

/** Registry of the listeners. */
export interface Listeners {
  /** Replaces the listener of a place. Returns whether the set of commands changed. */
  readonly set: (place: Place, listener: Listener) => boolean;
  /** Removes the listener of a place if `owner` still has it. Returns whether it did. */
  readonly remove: (place: Place, owner: object) => boolean;
  readonly handlerOf: (place: Place, command: string) => Runnable | undefined;
  /** Open places of a rank; `app` comes after the screen. */
  readonly placesOf: (rank: Rank) => Place[];
  /** Open places of the topmost rank: the ones that hear keys. */
  readonly focused: () => Place[];
  /** Handler of the first focused place that takes text, or mouse events. */
  readonly focusedHandler: <K extends 'onText' | 'onMouse'>(kind: K) => Listener[K];
}

/** Ranks that hide the ones after them. */
const COVERING: readonly Rank[] = ['modal', 'overlay', 'screen'];

/** The reason of a command that cannot run; of the others only whether they are bound. */
const kindOf = (runnable: Runnable | undefined): string => (typeof runnable === 'string' ? runnable : typeof runnable);

function sameCommands(a: Listener['handlers'], b: Listener['handlers']): boolean {
  const names = Object.keys(a);
  const others = Object.keys(b);
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && kindOf(a[name]) === kindOf(b[name]))
  );
}

/** Creates an empty registry. */
export function createListeners(): Listeners {
  const listeners = new Map<Place, Listener>();
  const placesOf = (rank: Rank): Place[] =>
    [...listeners.keys()]
      .filter((place) => PLACES[place].rank === rank)
      .sort((a, b) => Number(a === 'app') - Number(b === 'app'));
  const focused = (): Place[] => COVERING.map(placesOf).find((places) => places.length > 0) ?? [];

  return {
    set(place, listener) {
      const before = listeners.get(place);
      listeners.set(place, listener);
      return before === undefined || !sameCommands(before.handlers, listener.handlers);
    },
    remove: (place, owner) => listeners.get(place)?.owner === owner && listeners.delete(place),
    handlerOf: (place, command) => listeners.get(place)?.handlers[command],
    placesOf,
    focused,
    focusedHandler: (kind) =>
      focused()
        .map((place) => listeners.get(place)?.[kind])
        .find((handler) => handler !== undefined),
  };
}
