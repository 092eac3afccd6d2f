// Dialogs as data: a screen describes a question, and a dialog asks it.
import type { InputProblem, Suggestion } from '@quarterdeck/views/filters';
import type { Line } from '../../text/lines.ts';
import type { BaseTone } from '../../theme.ts';
import type { Field } from '../form/form-state.ts';
import type { ObjectGroup } from './group-lines.ts';

/** Values of a form by field name. */
export type Values = Readonly<Record<string, string>>;

/** A problem with the entry of a field. */
export interface Problem {
  readonly field: string;
  readonly text: string;
}

/** Result of a successful action: a message, or the next dialog. */
export type Outcome = string | Dialog | undefined;

/** A question before an action that is hard to undo. */
export interface ConfirmDialog {
  readonly kind: 'confirm';
  readonly title: string;
  /** Consequences, with the names of the affected objects. */
  readonly lines: readonly string[];
  /** The affected objects in groups; the user scrolls them. */
  readonly groups?: readonly ObjectGroup[];
  /** A warning. */
  readonly warning?: string | undefined;
  /** Label of the dangerous answer. */
  readonly yes: string;
  /** Text that the user must type first; for protected profiles. */
  readonly typed?: string | undefined;
  readonly run: () => Promise<Outcome>;
}

/** Fields to fill in. */
export interface FormQuestion {
  readonly title: string;
  readonly fields: (values: Values) => readonly Field[];
  readonly initial: Values;
  /** Label of Enter, such as `issue it`. */
  readonly submit: string;
  readonly check?: (values: Values) => Problem | null;
  /** Meaning of the values, updated while the user types. */
  readonly preview?: (values: Values) => readonly string[];
}

/** A form and its action. */
export interface FormDialog extends FormQuestion {
  readonly kind: 'form';
  /** Makes the dialog that Esc returns to; none by default. */
  readonly back?: () => Dialog;
  readonly run: (values: Values) => Promise<Outcome>;
}

/** A secret that is shown once. Only the open dialog holds it. */
export interface SecretDialog {
  readonly kind: 'secret';
  readonly title: string;
  readonly lines: readonly string[];
  readonly secret: string;
  /** A command line that contains the secret; it can be copied by itself. */
  readonly command?: string;
}

/** A QR code to scan, with its key. Only the open dialog holds the key. */
export interface ScanDialog {
  readonly kind: 'scan';
  readonly title: string;
  readonly secret: string;
  readonly uri: string;
  /** The dialog that follows. */
  readonly next: () => Dialog;
}

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

/** One choice of a list. */
export interface Choice {
  readonly id: string;
  /** Text to search. */
  readonly text: string;
  /** Text in front, in a column of its own. */
  readonly lead?: string;
  /** Text at the right, muted. */
  readonly note?: string;
  /** Heading above the choice. */
  readonly group?: string;
  /** Letter that takes the choice at once, in a dialog without search. */
  readonly letter?: string;
  readonly tone?: BaseTone;
}

/** A key that does something with the selected choice. */
export interface ChoiceAction {
  /** The typed character. */
  readonly key: string;
  readonly run: (choice: Choice, index: number) => void;
}

/** A list to choose from by typing. */
export interface ChooseDialog {
  readonly kind: 'choose';
  readonly title: string;
  readonly choices: readonly Choice[];
  /** Letters take a choice at once instead of searching. */
  readonly byLetter?: true;
  /** Keys of a dialog without search; `note` names them. */
  readonly actions?: readonly ChoiceAction[];
  readonly note?: string;
  /** Index of the choice that is selected at first. */
  readonly at?: number;
  readonly onTake: (choice: Choice) => void;
  /** Takes everything but the choice. */
  readonly onExclude?: (choice: Choice) => void;
}

/** Any dialog. */
export type Dialog = ConfirmDialog | FormDialog | SecretDialog | ScanDialog | TextDialog | PromptDialog | ChooseDialog;
