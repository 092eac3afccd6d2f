// Dialogs as data: a screen describes a question, and a dialog asks it.
import type { Line } from '../../text/lines.ts';
import type { BaseTone } from '../../theme.ts';
import type { Field } from '../form/form-state.ts';

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

/** A text to read. */
export interface TextDialog {
  readonly kind: 'text';
  readonly title: string;
  readonly lines: (width: number) => readonly Line[];
  /** Text that `y` copies. */
  readonly copy?: string;
  /** Places to go from here. */
  readonly next?: () => Dialog;
}

/** One line of input above the hints. */
export interface PromptDialog {
  readonly kind: 'prompt';
  readonly label: string;
  readonly initial: string;
  readonly history: readonly string[];
  readonly complete?: (text: string) => string | undefined;
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

/** A list to choose from by typing. */
export interface ChooseDialog {
  readonly kind: 'choose';
  readonly title: string;
  readonly choices: readonly Choice[];
  /** Letters take a choice at once instead of searching. */
  readonly byLetter?: true;
  readonly onTake: (choice: Choice) => void;
}

/** Any dialog. */
export type Dialog = ConfirmDialog | FormDialog | SecretDialog | TextDialog | PromptDialog | ChooseDialog;
