// Commands that can run now: those that an open place handles and that the user may run, with the keys of the settings.

import type { Binding } from './binding.ts';
import { bindingsOf, type Place, type Rebound } from './keymap.ts';
import type { Listeners } from './listeners.ts';

/** A command that can run now. */
export interface Bound {
  readonly place: Place;
  readonly command: string;
  readonly binding: Binding;
}

/** Bound commands, updated on demand. */
export interface BoundCommands {
  /** Commands that can run now; those of the focused place first. The same array until they change. */
  readonly now: () => readonly Bound[];
  /** Commands that could run if no overlay were open; for the help. */
  readonly underneath: () => readonly Bound[];
  /** Computes both again after a change of the listeners. */
  readonly update: () => void;
  /** Sets which commands the user may run. */
  readonly setAllowed: (allowed: (binding: Binding) => boolean) => void;
  /** Sets the keys that replace those of the keymap. */
  readonly setRebound: (rebound: Rebound) => void;
  /** Calls the watcher after every change of the commands or their keys. */
  readonly subscribe: (watcher: () => void) => () => void;
}

const keysOf = (list: readonly Bound[]): unknown =>
  list.map(({ place, command, binding }) => [place, command, binding.keys]);

/** Watches the listeners of a registry. */
export function createBoundCommands(listeners: Listeners): BoundCommands {
  const watchers = new Set<() => void>();
  let allowed: (binding: Binding) => boolean = ({ access }) => access === undefined;
  let rebound: Rebound = {};
  let now: readonly Bound[] = [];
  let underneath: readonly Bound[] = [];
  let signature = '';

  const boundIn = (places: readonly Place[]): Bound[] =>
    [...places, ...listeners.placesOf('root')].flatMap((place) =>
      bindingsOf(place, rebound)
        .filter(([command, binding]) => listeners.handlerOf(place, command) !== undefined && allowed(binding))
        .map(([command, binding]) => ({ place, command, binding })),
    );
  const update = (): void => {
    const next = [boundIn(listeners.focused()), boundIn(listeners.placesOf('screen'))] as const;
    const nextSignature = JSON.stringify(next.map(keysOf));
    if (nextSignature === signature) return;
    signature = nextSignature;
    [now, underneath] = next;
    for (const watcher of watchers) watcher();
  };

  return {
    now: () => now,
    underneath: () => underneath,
    update,
    setAllowed(next) {
      allowed = next;
      update();
    },
    setRebound(next) {
      rebound = next;
      update();
    },
    subscribe(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
