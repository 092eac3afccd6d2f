// The terminal as screens use it.
import { createContext, use } from 'react';
import type { Input } from '../terminal/index.ts';
import type { Edited } from './programs.ts';

/** Actions on the terminal besides drawing. */
export interface Terminal {
  /** Shows lines without frame and colours until a key is pressed. The terminal wraps long lines. */
  readonly bare: (lines: readonly string[]) => void;
  /** Opens a text in the user's editor. */
  readonly edit: (text: string) => Promise<Edited>;
  /** Shows a text in the user's pager. Resolves with null, or with the reason for a failure. */
  readonly page: (text: string) => Promise<string | null>;
  /** Runs a program without a shell, then waits for Enter. Resolves with null, or with the reason for a failure. */
  readonly run: (words: readonly string[]) => Promise<string | null>;
  /** Switches mouse reports on or off. */
  readonly setMouse: (on: boolean) => void;
  /** Suspends this program, as Ctrl-Z does in a shell. */
  readonly stop: () => void;
  /** Adds a listener of keys and pastes. Returns a function that removes it. */
  readonly onInput: (listener: (inputs: readonly Input[]) => void) => () => void;
  /** Writes every cell again, to repair a damaged screen. */
  readonly repaint: () => void;
}

/** Null where there is no terminal, as in tests. */
export const TerminalContext = createContext<Terminal | null>(null);

/** Returns the terminal of the dashboard. */
export const useTerminal = (): Terminal | null => use(TerminalContext);
