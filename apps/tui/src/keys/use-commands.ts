// Binds keys to screens. A screen or overlay registers the commands of its place that it can run; all other commands
// are neither bound nor shown.
import type { Binding } from '@quarterdeck/views/keys';
import { useStdin } from 'ink';
import { createContext, use, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTerminal } from '../system/terminal.ts';
import { type Mouse, readKeys } from '../terminal/index.ts';
import type { CustomBindings } from './bound-commands.ts';
import type { Pending } from './key-commands.ts';
import { type Bound, createKeyboard, type Keyboard, type Runnable, type Unavailable } from './keyboard.ts';
import type { CommandOf, Place, Rebound } from './keymap.ts';

/** Passes items to `take`. Items that arrive before `later` has called back wait and then go together. */
function oneAtATime<T>(
  later: (run: () => void) => void,
  take: (items: readonly T[]) => void,
): (items: readonly T[]) => void {
  let waiting: T[] = [];
  let isBusy = false;
  const next = (): void => {
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    const items = waiting;
    waiting = [];
    take(items);
    later(next);
  };
  return (items) => {
    waiting.push(...items);
    if (!isBusy) next();
  };
}

/** The keyboard of this dashboard. */
export const KeyboardContext = createContext<Keyboard>(createKeyboard());

interface KeyboardInputProps {
  /** Says why the user may not run a command. */
  readonly refusal: (binding: Binding) => string | null;
  readonly rebound: Rebound;
  readonly custom: CustomBindings;
}

/** Connects the terminal's keys to the keyboard of the context. Mounted once, at the root; renders nothing. */
export function KeyboardInput({ refusal, rebound, custom }: KeyboardInputProps): null {
  const keyboard = use(KeyboardContext);
  const [turn, setTurn] = useState(0);
  const asked = useRef(0);
  const waiting = useRef<{ readonly turn: number; readonly run: () => void }[]>([]);
  // A render commits the changes of the last key, and every listener is registered by then.
  const [later] = useState(() => (run: () => void): void => {
    asked.current += 1;
    waiting.current.push({ turn: asked.current, run });
    setTurn(asked.current);
  });
  useLayoutEffect(() => {
    keyboard.setRefusal(refusal);
    keyboard.setRebound(rebound);
    keyboard.setCustom(custom);
    keyboard.setAfterRender(later);
  }, [keyboard, refusal, rebound, custom, later]);
  // Other commits in between, such as news of the server, do not contain the last key's changes yet.
  useEffect(() => {
    const due = waiting.current.filter((one) => one.turn <= turn);
    waiting.current = waiting.current.filter((one) => one.turn > turn);
    for (const { run } of due) setImmediate(run);
  }, [turn]);
  const terminal = useTerminal();
  const { stdin } = useStdin();
  useEffect(() => {
    const take = oneAtATime(later, keyboard.press);
    return terminal === null ? readKeys(stdin, take).stop : terminal.onInput(take);
  }, [keyboard, terminal, stdin, later]);
  return null;
}

/** Commands of a place, or the reason why one cannot run now. An omitted or undefined command is not bound. */
export type Commands<P extends Place> = { readonly [C in CommandOf<P>]?: Runnable | undefined };

export interface CommandOptions {
  /** True if the place is open; the default. */
  readonly active?: boolean;
  /** Takes printable text instead of single-letter commands. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Handles mouse events, if the mouse is switched on. */
  readonly onMouse?: ((mouse: Mouse) => void) | undefined;
}

/** Registers the commands of a place while the calling component is mounted. */
export function useCommands<P extends Place>(place: P, commands: Commands<P>, options: CommandOptions = {}): void {
  const keyboard = use(KeyboardContext);
  const [owner] = useState(() => ({}));
  const { active = true, onText, onMouse } = options;
  // Registers after every render and before the next key, so that handlers match the screen.
  useLayoutEffect(() => {
    if (active) keyboard.set(place, { owner, handlers: commands, onText, onMouse });
    else keyboard.remove(place, owner);
  });
  useLayoutEffect(() => () => keyboard.remove(place, owner), [keyboard, place, owner]);
}

/** Returns the commands that can run now. */
export function useBound(): readonly Bound[] {
  const keyboard = use(KeyboardContext);
  return useSyncExternalStore(keyboard.subscribe, keyboard.bound);
}

/** Returns the commands that cannot run now, with the reasons. */
export function useUnavailable(): readonly Unavailable[] {
  const keyboard = use(KeyboardContext);
  return useSyncExternalStore(keyboard.subscribe, keyboard.unavailable);
}

/** Returns the keys that wait for the next one. */
export function usePending(): Pending {
  const keyboard = use(KeyboardContext);
  return useSyncExternalStore(keyboard.subscribe, keyboard.pending);
}
