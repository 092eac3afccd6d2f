// The keyboard of the dashboard: decides which place and which command a key is for. It does not depend on React or
// Ink.

import type { Binding } from '@quarterdeck/views/keys';
import type { Input } from '../terminal/index.ts';
import { type Bound, type CustomBindings, createBoundCommands, type Unavailable } from './bound-commands.ts';
import type { Hold } from './count.ts';
import { createKeyCommands, NOTHING_PENDING, type Pending } from './key-commands.ts';
import type { Place, Rebound } from './keymap.ts';
import { createListeners, type Listener } from './listeners.ts';
import { createPressQueue } from './press-queue.ts';

export type { Bound, Unavailable } from './bound-commands.ts';
export type { Handler, Listener, Runnable } from './listeners.ts';

/** The one keyboard of the dashboard. */
export interface Keyboard {
  /** Sets the listener of a place. */
  readonly set: (place: Place, listener: Listener) => void;
  /** Removes the listener of a place if `owner` still has it. */
  readonly remove: (place: Place, owner: object) => void;
  /** Sets the function that runs a callback after the next render. Without one, callbacks run at once. */
  readonly setAfterRender: (afterRender: (run: () => void) => void) => void;
  /** Sets the function that says why the user may not run a command. */
  readonly setRefusal: (refusal: (binding: Binding) => string | null) => void;
  /** Sets the function that tells the user why a key did nothing. */
  readonly setSay: (say: (text: string) => void) => void;
  /** Sets the keys that replace those of the keymap. */
  readonly setRebound: (rebound: Rebound) => void;
  /** Sets the custom commands. */
  readonly setCustom: (custom: CustomBindings) => void;
  /** Runs a command as if its key had been pressed, or with the text typed behind it, after the next render. */
  readonly run: (place: Place, command: string, argument?: string) => void;
  /** Handles keys and pastes, in order. A paste is text or nothing, never commands. */
  readonly press: (inputs: readonly Input[]) => void;
  /** Commands that can run now; those of the focused place first. The same array until they change. */
  readonly bound: () => readonly Bound[];
  /** Commands that could run if no overlay were open; for the help. */
  readonly underneath: () => readonly Bound[];
  /** Commands of the focused place that cannot run now, with the reasons. */
  readonly unavailable: () => readonly Unavailable[];
  /** Keys typed so far that wait for the next one. The same object until they change. */
  readonly pending: () => Pending;
  /** Calls the watcher after every change of the commands, their keys, or the pending keys. */
  readonly subscribe: (watcher: () => void) => () => void;
}

/** A command by name, from the palette or the command line. */
interface NamedCommand {
  readonly place: Place;
  readonly command: string;
  readonly argument?: string | undefined;
}

/** Creates a keyboard; `hold` replaces the timer of counts in tests. */
export function createKeyboard(hold?: Hold): Keyboard {
  const listeners = createListeners();
  const commands = createBoundCommands(listeners);
  const watchers = new Set<() => void>();
  let pending = NOTHING_PENDING;
  let say = (_text: string): void => undefined;
  const run = ({ place, command, argument }: NamedCommand, times: number): void => {
    const runnable = listeners.handlerOf(place, command);
    if (typeof runnable === 'function') runnable(times, argument);
  };
  const runNamed = ({ place, command, argument }: NamedCommand): void => {
    const bound = commands.now().find((one) => one.place === place && one.command === command);
    if (bound !== undefined) run({ ...bound, argument }, 1);
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
    else if ('mouse' in press) {
      keys.reset();
      listeners.focusedHandler('onMouse')?.(press.mouse);
    } else if ('command' in press) runNamed(press);
    else if ('stroke' in press) keys.stroke(press);
    else pressText(press);
  });
  const keys = createKeyCommands(
    {
      reach: () => ({ bound: commands.now(), unavailable: commands.unavailable() }),
      run,
      whyNot: commands.whyNot,
      requeue: queue.requeue,
      say: (text) => say(text),
      onPending(next) {
        if (next.count === pending.count && next.prefix === pending.prefix) return;
        pending = next;
        for (const watcher of watchers) watcher();
      },
    },
    hold,
  );

  /** Changes the listeners. Keys that wait for another place must not act on the new one. */
  const listen = (change: () => boolean): void => {
    const [before] = listeners.focused();
    if (!change()) return;
    commands.update();
    if (listeners.focused()[0] !== before) keys.reset();
  };

  return {
    set: (place, listener) => listen(() => listeners.set(place, listener)),
    remove: (place, owner) => listen(() => listeners.remove(place, owner)),
    setAfterRender: queue.setAfterRender,
    setRefusal: commands.setRefusal,
    setSay(next) {
      say = next;
    },
    setRebound: commands.setRebound,
    setCustom: commands.setCustom,
    run: (place, command, argument) => queue.defer({ place, command, argument }),
    press: queue.push,
    bound: commands.now,
    underneath: commands.underneath,
    unavailable: commands.unavailable,
    pending: () => pending,
    subscribe(watcher) {
      watchers.add(watcher);
      const stop = commands.subscribe(watcher);
      return () => {
        stop();
        watchers.delete(watcher);
      };
    },
  };
}
