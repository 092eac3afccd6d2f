// The real terminal, as screens may use it.
import { createContext, use } from 'react';
import type { Input } from '../terminal/index.ts';
import type { Edited } from './programs.ts';

/** What can be done with the terminal besides showing something on it. */
export interface Terminal {
  /** Shows lines as they are until a key is pressed: no frame, no colours, long lines wrapped by the terminal. */
  readonly bare: (lines: readonly string[]) => void;
  /** Lets a text be edited in the editor of the user. */
  readonly edit: (text: string) => Promise<Edited>;
  /** Shows a text in the pager of the user; resolves with why that did not work, or null. */
  readonly page: (text: string) => Promise<string | null>;
  /** Whether clicks and the wheel are reported. */
  readonly setMouse: (on: boolean) => void;
  /** Gives the terminal back to the shell until it continues this program, as Ctrl-Z does. */
  readonly stop: () => void;
  /** Hears what is pressed and pasted; returns how to stop that. */
  readonly onInput: (listener: (inputs: readonly Input[]) => void) => () => void;
  /** Writes every cell again, for a terminal that shows something else than it should. */
  readonly repaint: () => void;
}

/** Null where there is no real terminal. */
export const TerminalContext = createContext<Terminal | null>(null);

/** The terminal the dashboard runs in. */
export const useTerminal = (): Terminal | null => use(TerminalContext);
