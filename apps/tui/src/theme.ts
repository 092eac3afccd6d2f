// Looks by meaning. No component names a colour. Only the sixteen colours of the user's own terminal theme are used,
// so that the dashboard fits into light and dark terminals alike.

/** What a piece of text means. */
export type Tone =
  | 'plain'
  | 'muted'
  | 'strong'
  | 'title'
  | 'key'
  | 'accent'
  | 'good'
  | 'notice'
  | 'warning'
  | 'bad'
  | 'worst'
  | 'selected'
  | 'caret';

/** How it looks. */
export interface Look {
  readonly color?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly inverse?: boolean;
}

/** Every tone's look. */
export type Theme = Readonly<Record<Tone, Look>>;

const COLOURED: Theme = {
  plain: {},
  muted: { dimColor: true },
  strong: { bold: true },
  title: { color: 'cyan', bold: true },
  key: { color: 'cyan' },
  accent: { color: 'cyan' },
  good: { color: 'green' },
  notice: { color: 'cyan' },
  warning: { color: 'yellow' },
  bad: { color: 'red' },
  worst: { color: 'red', bold: true },
  selected: { inverse: true },
  caret: { inverse: true },
};

// https://no-color.org: colour is left out, weight and inversion stay.
const PLAIN: Theme = {
  plain: {},
  muted: { dimColor: true },
  strong: { bold: true },
  title: { bold: true },
  key: { bold: true },
  accent: { bold: true },
  good: {},
  notice: {},
  warning: {},
  bad: { bold: true },
  worst: { bold: true },
  selected: { inverse: true },
  caret: { inverse: true },
};

/** The theme to use. */
export const themeFor = (options: { color: boolean }): Theme => (options.color ? COLOURED : PLAIN);

const LEVEL_TONES: readonly Tone[] = [
  'worst', // STDERR
  'worst', // EMERG
  'worst', // ALERT
  'worst', // CRIT
  'bad', // ERROR
  'warning', // WARN
  'notice', // NOTICE
  'plain', // INFO
  'muted', // DEBUG
];

/** The tone of an error-log level. The level's name is always shown beside it. */
export const levelTone = (level: number): Tone => LEVEL_TONES[level] ?? 'plain';
