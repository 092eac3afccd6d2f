// What can be open over a screen, as data: a screen says what it wants to know, the dialogs ask.
import type { Line } from '../../text/lines.ts';
import type { BaseTone } from '../../theme.ts';
import type { Field } from '../form/form-state.ts';

/** Values of a form by the name of the field. */
export type Values = Readonly<Record<string, string>>;

/** What is wrong with an entry, and in which field. */
export interface Problem {
  readonly field: string;
  readonly text: string;
}

/** What happens once it has worked: something to say, or another dialog. */
export type Outcome = string | Dialog | undefined;

/** A question before something that is hard to undo. */
export interface ConfirmDialog {
  readonly kind: 'confirm';
  readonly title: string;
  /** What will happen, naming what it happens to. */
  readonly lines: readonly string[];
  /** A reason to think again. */
  readonly warning?: string | undefined;
  /** The dangerous answer in words. */
  readonly yes: string;
  /** Has to be typed before it is done; for protected profiles. */
  readonly typed?: string | undefined;
  readonly run: () => Promise<Outcome>;
}

/** Fields to fill in. */
export interface FormQuestion {
  readonly title: string;
  readonly fields: (values: Values) => readonly Field[];
  readonly initial: Values;
  /** What Enter does, in words: `issue it`. */
  readonly submit: string;
  readonly check?: (values: Values) => Problem | null;
  /** What the values mean, while they are entered. */
  readonly preview?: (values: Values) => readonly string[];
}

/** Fields to fill in, and what happens then. */
export interface FormDialog extends FormQuestion {
  readonly kind: 'form';
  readonly run: (values: Values) => Promise<Outcome>;
}

/** Something that is shown this once. It is held by the dialog while it is open, and by nothing afterwards. */
export interface SecretDialog {
  readonly kind: 'secret';
  readonly title: string;
  readonly lines: readonly string[];
  readonly secret: string;
  /** A command line with the secret in it, for whoever is to use it; it can be copied by itself. */
  readonly command?: string;
}

/** Something to read. */
export interface TextDialog {
  readonly kind: 'text';
  readonly title: string;
  readonly lines: (width: number) => readonly Line[];
  /** What `y` copies. */
  readonly copy?: string;
  /** Where one goes from here. */
  readonly next?: () => Dialog;
}

/** One line to type into, above the hints. */
export interface PromptDialog {
  readonly kind: 'prompt';
  readonly label: string;
  readonly initial: string;
  readonly history: readonly string[];
  readonly complete?: (text: string) => string | undefined;
  /** Said to the right of what is typed. */
  readonly note?: (text: string) => string;
  readonly onChange?: (text: string) => void;
  readonly onSubmit: (text: string) => void;
  readonly onCancel?: () => void;
}

/** Something that can be taken from a list. */
export interface Choice {
  readonly id: string;
  /** What it is found by. */
  readonly text: string;
  /** Shown in front, in a column of its own. */
  readonly lead?: string;
  /** Shown at the right, muted. */
  readonly note?: string;
  /** A heading that it belongs under. */
  readonly group?: string;
  /** Taken at once by this letter, where nothing is typed to search. */
  readonly letter?: string;
  readonly tone?: BaseTone;
}

/** One of several, found by typing. */
export interface ChooseDialog {
  readonly kind: 'choose';
  readonly title: string;
  readonly choices: readonly Choice[];
  /** Letters take at once instead of searching. */
  readonly byLetter?: true;
  readonly onTake: (choice: Choice) => void;
}

/** Whatever is open. */
export type Dialog = ConfirmDialog | FormDialog | SecretDialog | TextDialog | PromptDialog | ChooseDialog;
