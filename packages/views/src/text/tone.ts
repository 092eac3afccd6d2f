/** Meaning of a piece of text. Each front end gives it a look. */
export type Tone = 'plain' | 'muted' | 'faint' | 'accent' | 'good' | 'notice' | 'warning' | 'bad';

/** A word of one tone. `sign` tells it from others without colours; not every front end shows it. */
export interface Word {
  readonly sign?: string;
  readonly text: string;
  readonly tone: Tone;
}

/** A message to the user. */
export interface Message {
  readonly tone: 'good' | 'notice' | 'warning' | 'bad';
  readonly text: string;
}

/** A word with its sign: `● online`. */
export const signed = ({ sign, text, tone }: Word): Word => ({
  text: sign === undefined ? text : `${sign} ${text}`,
  tone,
});
