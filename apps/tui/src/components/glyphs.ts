// What charts are drawn with in this terminal.
import type { Alphabet } from './charts/alphabet.ts';

/** The alphabets of charts that are one row high, and of those that are higher. */
export interface Glyphs {
  readonly spark: Alphabet;
  readonly chart: Alphabet;
}
