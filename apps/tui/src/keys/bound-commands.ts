// Commands that can run now: those that an open place handles and that the user may run, with the keys of the settings.

import type { Binding } from '@quarterdeck/views/keys';
import { bindingsOf, PLACES, type Place, type Rebound } from './keymap.ts';
import type { Listeners } from './listeners.ts';

/** A command that can run now. */
export interface Bound {
  readonly place: Place;
  readonly command: string;
  readonly binding: Binding;
}

/** A command that cannot run now. */
export interface Unavailable extends Bound {
  /** A sentence. */
  readonly reason: string;
}

/** Custom commands with their bindings. */
export type CustomBindings = readonly (readonly [command: string, binding: Binding])[];

/** Bound commands, updated on demand. */
export interface BoundCommands {
  /** Commands that can run now; those of the focused place first. The same array until they change. */
  readonly now: () => readonly Bound[];
  /** Commands of the focused places that cannot run now. */
  readonly unavailable: () => readonly Unavailable[];
  /** Commands that could run if no overlay were open; for the help. */
  readonly underneath: () => readonly Bound[];
  /** Says why keys that no command has now do nothing; null if no screen has them. */
  readonly whyNot: (keys: string) => string | null;
  /** Computes both again after a change of the listeners. */
  readonly update: () => void;
  /** Sets the function that says why the user may not run a command. */
  readonly setRefusal: (refusal: (binding: Binding) => string | null) => void;
  /** Sets the keys that replace those of the keymap. */
  readonly setRebound: (rebound: Rebound) => void;
  /** Sets the custom commands, which work on every screen. */
  readonly setCustom: (custom: CustomBindings) => void;
  /** Calls the watcher after every change of the commands or their keys. */
  readonly subscribe: (watcher: () => void) => () => void;
}

/** Screens that a reason names; more of them are lists. */
const NAMED_MAX = 4;

const keysOf = (list: readonly Bound[]): unknown =>
  list.map(({ place, command, binding, ...rest }) => [place, command, binding.keys, rest]);

/** Watches the listeners of a registry. */
export function createBoundCommands(listeners: Listeners): BoundCommands {
  const watchers = new Set<() => void>();
  let refusal: (binding: Binding) => string | null = ({ access }) => (access === undefined ? null : 'Sign in first.');
  let rebound: Rebound = {};
  let custom: CustomBindings = [];
  let now: readonly Bound[] = [];
  let underneath: readonly Bound[] = [];
  let unavailable: readonly Unavailable[] = [];
  let signature = '';

  const commandsIn = (places: readonly Place[]): { bound: Bound[]; unavailable: Unavailable[] } => {
    const found: { bound: Bound[]; unavailable: Unavailable[] } = { bound: [], unavailable: [] };
    for (const place of [...places, ...listeners.placesOf('root')]) {
      for (const [command, binding] of [...bindingsOf(place, rebound), ...(place === 'app' ? custom : [])]) {
        const runnable = listeners.handlerOf(place, command);
        if (runnable === undefined) continue;
        const reason = refusal(binding) ?? (typeof runnable === 'string' ? runnable : null);
        if (reason === null) found.bound.push({ place, command, binding });
        else found.unavailable.push({ place, command, binding, reason });
      }
    }
    return found;
  };
  const update = (): void => {
    const focused = commandsIn(listeners.focused());
    const next = [focused.bound, commandsIn(listeners.placesOf('screen')).bound, focused.unavailable] as const;
    const nextSignature = JSON.stringify(next.map(keysOf));
    if (nextSignature === signature) return;
    signature = nextSignature;
    [now, underneath, unavailable] = next;
    for (const watcher of watchers) watcher();
  };

  const whyNot = (keys: string): string | null => {
    const bindingIn = (place: Place): Binding | undefined =>
      bindingsOf(place, rebound).find(([, binding]) => binding.keys.includes(keys))?.[1];
    const [here] = listeners.focused().flatMap((place) => bindingIn(place) ?? []);
    if (here !== undefined) return `Not possible now: ${here.help}`;
    const elsewhere = (Object.keys(PLACES) as Place[]).filter((place) => PLACES[place].rank === 'screen');
    const titles = elsewhere.filter((place) => bindingIn(place) !== undefined).map((place) => PLACES[place].title);
    if (titles.length === 0) return null;
    return titles.length > NAMED_MAX ? 'Only on lists.' : `Only on ${titles.join(', ')}.`;
  };

  return {
    whyNot,
    now: () => now,
    underneath: () => underneath,
    unavailable: () => unavailable,
    update,
    setRefusal(next) {
      refusal = next;
      update();
    },
    setRebound(next) {
      rebound = next;
      update();
    },
    setCustom(next) {
      custom = next;
      update();
    },
    subscribe(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
