// Dialogs as data: a screen describes a question, and a dialog asks it.

import type { InputProblem, Suggestion } from '@quarterdeck/views/filters';
import type * as questions from '@quarterdeck/views/questions';
import type { Line } from '../theme/lines.ts';

/** A text to read. */
export interface TextDialog {
  readonly kind: 'text';
  readonly title: string;
  readonly lines: (width: number) => readonly Line[];
  /** Text that `y` copies. */
  readonly copy?: string;
  /** Makes the dialog that follows; none by default. */
  readonly next?: () => Dialog;
}

/** One line of input above the hints. */
export interface PromptDialog {
  readonly kind: 'prompt';
  readonly label: string;
  readonly initial: string;
  /** Set if the initial text and a recalled one are selected: typing replaces them. */
  readonly selects?: true;
  readonly history: readonly string[];
  readonly complete?: (text: string) => string | undefined;
  readonly suggest?: (beforeCaret: string) => Suggestion | null;
  /** Shown while typing; Enter keeps the prompt open. */
  readonly check?: (text: string) => InputProblem | null;
  /** Loads code that `check` and `onSubmit` need for this text; undefined if nothing is missing. */
  readonly prepare?: (text: string) => Promise<void> | undefined;
  /** A page about the input; it returns to the dialog it is given. */
  readonly help?: (back: PromptDialog) => Dialog;
  /** Text to the right of the input. */
  readonly note?: (text: string) => string;
  readonly onChange?: (text: string) => void;
  readonly onSubmit: (text: string) => void;
  readonly onCancel?: () => void;
}

export type Dialog = questions.Question<OwnDialog> | OwnDialog;

/** Dialogs that only the dashboard has. */
type OwnDialog = TextDialog | PromptDialog;
export type ConfirmDialog = questions.ConfirmDialog<OwnDialog>;
export type FormDialog = questions.FormDialog<OwnDialog>;
export type ScanDialog = questions.ScanDialog<OwnDialog>;
/** Result of a successful action: a message, or the next dialog. */
export type Outcome = questions.Outcome<OwnDialog>;
