// Questions as data: an action describes what it asks before, and each front end asks it. `Own` are dialogs that only
// one front end has.
import type { Tone } from '../text/tone.ts';
import type { ObjectGroup } from './object-groups.ts';

export type Field =
  | {
      readonly kind: 'text';
      readonly name: string;
      readonly label: string;
      readonly masked?: boolean;
      /** Set if the text may have several lines and can be written in the user's editor. */
      readonly long?: true;
      readonly max?: number;
      readonly hint?: string;
    }
  | { readonly kind: 'check'; readonly name: string; readonly label: string; readonly text: string }
  | { readonly kind: 'choice'; readonly name: string; readonly label: string; readonly options: readonly Option[] };

/** One option of a choice. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Values of a form by field name. */
export type Values = Readonly<Record<string, string>>;

/** A problem with the entry of a field. */
export interface Problem {
  readonly field: string;
  readonly text: string;
}

/** Result of a successful action: a message, or the next question. */
export type Outcome<Own = never> = string | Question<Own> | Own | undefined;

/** A question before an action that is hard to undo. */
export interface ConfirmDialog<Own = never> {
  readonly kind: 'confirm';
  readonly title: string;
  /** Consequences, with the names of the affected objects. */
  readonly lines: readonly string[];
  /** The affected objects in groups; the user scrolls them. */
  readonly groups?: readonly ObjectGroup[];
  readonly warning?: string | undefined;
  /** Label of the dangerous answer. */
  readonly yes: string;
  /** Text that the user must type first; for protected profiles. */
  readonly typed?: string | undefined;
  readonly run: () => Promise<Outcome<Own>>;
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
export interface FormDialog<Own = never> extends FormQuestion {
  readonly kind: 'form';
  /** Makes the dialog that Esc returns to; none by default. */
  readonly back?: () => Question<Own> | Own;
  readonly run: (values: Values) => Promise<Outcome<Own>>;
}

/** A secret that is shown once. Only the open dialog holds it. */
export interface SecretDialog {
  readonly kind: 'secret';
  readonly title: string;
  /** The name of the secret, `token`. */
  readonly noun: string;
  readonly lines: readonly string[];
  readonly secret: string;
  /** A command line that contains the secret; it can be copied by itself. */
  readonly command?: string;
  /** Says where the command line is run; as root on a host by default. */
  readonly commandNote?: string;
}

/** A QR code to scan, with its key. Only the open dialog holds the key. */
export interface ScanDialog<Own = never> {
  readonly kind: 'scan';
  readonly title: string;
  readonly secret: string;
  readonly uri: string;
  /** The dialog that follows. */
  readonly next: () => Question<Own> | Own;
}

/** One choice of a list. */
export interface Choice {
  readonly id: string;
  /** Text to search. */
  readonly text: string;
  /** A name: a typed beginning of it finds the choice first. */
  readonly word?: string;
  /** Text in front, in a column of its own. */
  readonly lead?: string;
  /** Text at the right, muted. */
  readonly note?: string;
  /** Heading above the choice. */
  readonly group?: string;
  /** Letter that takes the choice at once, in a dialog without search. */
  readonly letter?: string;
  readonly tone?: Tone;
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

export type Question<Own = never> =
  | ConfirmDialog<Own>
  | FormDialog<Own>
  | SecretDialog
  | ScanDialog<Own>
  | ChooseDialog;
