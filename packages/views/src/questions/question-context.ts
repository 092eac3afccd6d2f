import type { Client, Me } from '@quarterdeck/sdk';
import type { UndoHistory } from '../actions/undo.ts';

/** Everything that questions about rows need. */
export interface QuestionContext {
  readonly client: Client;
  readonly me: Me;
  /** A protected profile asks for the name of what is destroyed. */
  readonly profile: { readonly isProtected: boolean };
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Reads the own user again. */
  readonly renew: () => Promise<void>;
  /** Keeps a change and the way back. Returns the message that follows the change. */
  readonly recordUndo: (...change: Parameters<UndoHistory['record']>) => string;
  /** Reads the rows again. */
  readonly refresh: () => void;
  /** Selects a new row as soon as it is read. */
  readonly select: (id: number) => void;
}
