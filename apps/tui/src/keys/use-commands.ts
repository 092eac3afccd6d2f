// The only caller of useInput. Screens and overlays say which commands of their place they can run; what they do not
// name, or the user may not do, is neither bound nor shown.
import type { Subject } from '@quarterdeck/core';
import { useInput, usePaste } from 'ink';
import { createContext, use, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type Bound, createKeyboard, type Handler, type Keyboard } from './keyboard.ts';
import type { CommandOf, Place } from './keymap.ts';
import { pressesOf } from './strokes.ts';

/** The keyboard of this dashboard. */
export const KeyboardContext = createContext<Keyboard>(createKeyboard());

/** Connects the terminal's keys with the keyboard of the context. Once, at the root; shows nothing. */
export function KeyboardInput({ subject }: { readonly subject: Subject | null }): null {
  const keyboard = use(KeyboardContext);
  const [, setTurn] = useState(0);
  const next = useRef<(() => void) | null>(null);
  useLayoutEffect(() => {
    keyboard.setSubject(subject);
    // A turn is committed together with whatever the last key has changed, and every listener is set by then.
    keyboard.setLater((run) => {
      next.current = run;
      setTurn((turn) => turn + 1);
    });
  }, [keyboard, subject]);
  useEffect(() => {
    if (next.current !== null) setImmediate(next.current);
    next.current = null;
  });
  useInput((input, key) => keyboard.press(pressesOf(input, key)));
  usePaste((text) => keyboard.paste(text));
  return null;
}

/** The commands of a place that can be run; one left out or undefined is not bound. */
export type Commands<P extends Place> = { readonly [C in CommandOf<P>]?: Handler | undefined };

/** Options of {@link useCommands}. */
export interface CommandOptions {
  /** Whether the place is open; by default it is. */
  readonly active?: boolean;
  /** Takes printable text instead of single-letter commands. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** Says what a place does with the keyboard while the calling component is mounted. */
export function useCommands<P extends Place>(place: P, commands: Commands<P>, options: CommandOptions = {}): void {
  const keyboard = use(KeyboardContext);
  const [owner] = useState(() => ({}));
  const { active = true, onText } = options;
  // After every render, before any further key: the handlers heard are those of what is on the screen.
  useLayoutEffect(() => {
    if (active) keyboard.set(place, { owner, handlers: commands, onText });
    else keyboard.remove(place, owner);
  });
  useLayoutEffect(() => () => keyboard.remove(place, owner), [keyboard, place, owner]);
}

/** What can be run now. */
export function useBound(): readonly Bound[] {
  const keyboard = use(KeyboardContext);
  return useSyncExternalStore(keyboard.subscribe, keyboard.bound);
}

/** What could be run if no overlay were open. */
export function useBoundUnderneath(): readonly Bound[] {
  const keyboard = use(KeyboardContext);
  return useSyncExternalStore(keyboard.subscribe, keyboard.underneath);
}
