// Changes that the user can take back, the last one first.
import type { Message } from '../text/tone.ts';

/** A change, and the way back. */
export interface UndoableChange {
  /** The message after the change: `Resolved 3 groups.` */
  readonly done: string;
  /** Puts back what was before; null for a change that cannot be undone. */
  readonly back: (() => Promise<unknown>) | null;
}

/** The changes of a user. */
export interface UndoHistory {
  readonly record: (done: string, back: UndoableChange['back']) => void;
  /** Undoes the last change and returns a message. A failed attempt is not repeated. */
  readonly undo: () => Promise<Message>;
}

/** Changes that are kept. */
const CHANGES_MAX = 20;

/** Creates an empty history. */
export function createUndoHistory(): UndoHistory {
  let changes: readonly UndoableChange[] = [];
  return {
    record(done, back) {
      changes = [...changes, { done, back }].slice(-CHANGES_MAX);
    },
    async undo() {
      const last = changes.at(-1);
      if (last === undefined) return { tone: 'notice', text: 'There is no change to undo.' };
      changes = changes.slice(0, -1);
      if (last.back === null) return { tone: 'notice', text: `This change cannot be undone: ${last.done}` };
      await last.back();
      return { tone: 'good', text: `Undone: ${last.done}` };
    },
  };
}
