// The real terminal, as screens may use it.
import { createContext, use } from 'react';
import type { Input } from '../keys/splitter.ts';

/** What can be done with the terminal besides showing something on it. */
export interface Terminal {
  /** Hands the terminal to another program while `run` is under way, and takes it back however that ends. */
  readonly suspend: <T>(run: () => Promise<T>) => Promise<T>;
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
