// The keyboard of the dashboard: decides which place and which command a key is for. It does not depend on React or
// Ink.
import type { Input } from '../terminal/index.ts';
import type { Binding } from './binding.ts';
import { type Bound, createBoundCommands } from './bound-commands.ts';
import type { Hold } from './count.ts';
import { createKeyCommands } from './key-commands.ts';
import type { Place, Rebound } from './keymap.ts';
import { createListeners, type Listener } from './listeners.ts';
import { createPressQueue } from './press-queue.ts';

export type { Bound } from './bound-commands.ts';
export type { Handler, Listener } from './listeners.ts';

/** The one keyboard of the dashboard. */
export interface Keyboard {
  /** Sets the listener of a place. */
  readonly set: (place: Place, listener: Listener) => void;
  /** Removes the listener of a place if `owner` still has it. */
  readonly remove: (place: Place, owner: object) => void;
  /** Sets the function that runs a callback after the next render. Without one, callbacks run at once. */
  readonly setAfterRender: (afterRender: (run: () => void) => void) => void;
  /** Sets which commands the user may run. */
  readonly setAllowed: (allowed: (binding: Binding) => boolean) => void;
  /** Sets the keys that replace those of the keymap. */
  readonly setRebound: (rebound: Rebound) => void;
  /** Runs a command as if its key had been pressed, after the next render. */
  readonly run: (place: Place, command: string) => void;
  /** Handles keys and pastes, in order. A paste is text or nothing, never commands. */
  readonly press: (inputs: readonly Input[]) => void;
  /** Commands that can run now; those of the focused place first. The same array until they change. */
  readonly bound: () => readonly Bound[];
  /** Commands that could run if no overlay were open; for the help. */
  readonly underneath: () => readonly Bound[];
  /** Calls the watcher after every change of the commands or their keys. */
  readonly subscribe: (watcher: () => void) => () => void;
}

/** A command by name, from the palette or the command line. */
interface NamedCommand {
  readonly place: Place;
  readonly command: string;
}

/** Creates a keyboard; `hold` replaces the timer of counts in tests. */
export function createKeyboard(hold?: Hold): Keyboard {
  const listeners = createListeners();
  const commands = createBoundCommands(listeners);
  const run = ({ place, command }: NamedCommand, times: number): void => listeners.handlerOf(place, command)?.(times);
  const runNamed = ({ place, command }: NamedCommand): void => {
    const bound = commands.now().find((one) => one.place === place && one.command === command);
    if (bound !== undefined) run(bound, 1);
  };
  const pressText = (input: { readonly text: string }): void => {
    const onText = listeners.focusedHandler('onText');
    if (onText === undefined) keys.characters(input);
    else {
      keys.reset();
      onText(input.text);
    }
  };
  const queue = createPressQueue((press: Input | NamedCommand): void => {
    if ('paste' in press) listeners.focusedHandler('onText')?.(press.paste);
    else if ('mouse' in press) listeners.focusedHandler('onMouse')?.(press.mouse);
    else if ('command' in press) runNamed(press);
    else if ('stroke' in press) keys.stroke(press);
    else pressText(press);
  });
  const keys = createKeyCommands({ bound: commands.now, run, requeue: queue.requeue }, hold);

  return {
    set(place, listener) {
      if (listeners.set(place, listener)) commands.update();
    },
    remove(place, owner) {
      if (listeners.remove(place, owner)) commands.update();
    },
    setAfterRender: queue.setAfterRender,
    setAllowed: commands.setAllowed,
    setRebound: commands.setRebound,
    run: (place, command) => queue.defer({ place, command }),
    press: queue.push,
    bound: commands.now,
    underneath: commands.underneath,
    subscribe: commands.subscribe,
  };
}
