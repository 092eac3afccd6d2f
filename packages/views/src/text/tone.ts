/** Meaning of a piece of text. Each front end gives it a look. */
export type Tone = 'plain' | 'muted' | 'faint' | 'accent' | 'good' | 'notice' | 'warning' | 'bad';

/** Text of one tone. */
export interface Word {
  readonly text: string;
  readonly tone: Tone;
}

/** A message to the user. */
export interface Message {
  readonly tone: 'good' | 'notice' | 'warning' | 'bad';
  readonly text: string;
}
