// The only way into a cell, and so the last line of defence: whatever text comes here, what reaches the terminal is one
// grapheme that can be seen, in as many columns as are kept for it.
import stringWidth from 'string-width';
import { clean, HIDDEN } from '../text/clean.ts';
import { isSimple } from '../text/simple.ts';
import { width } from '../text/width.ts';

/** One grapheme. */
export interface Glyph {
  readonly text: string;
  /** Columns that a terminal may need at most. */
  readonly columns: number;
  /** Columns that Ink has laid it out in. */
  readonly inkColumns: number;
}

/** What is remembered; the fonts of the world have more than any screen shows. */
const GLYPHS_MAX = 4_096;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const glyphs = new Map<string, Glyph | null>();

/** The glyph of a grapheme; null where it has no picture and takes no room. */
function glyphOf(grapheme: string): Glyph | null {
  const known = glyphs.get(grapheme);
  if (known !== undefined) return known;
  const text = clean(grapheme);
  let glyph: Glyph | null = null;
  if (text !== '') {
    // Replaced characters are one placeholder, however many there were.
    const [first = HIDDEN] = text === grapheme ? [text] : [...graphemes.segment(text)].map(({ segment }) => segment);
    glyph = { text: first, columns: Math.max(1, width(first)), inkColumns: Math.max(1, stringWidth(first)) };
  }
  if (glyphs.size >= GLYPHS_MAX) glyphs.clear();
  glyphs.set(grapheme, glyph);
  return glyph;
}

/** The glyphs of a text that is not simple, in order. */
export function* glyphsOf(text: string): Generator<Glyph> {
  for (const { segment } of graphemes.segment(text)) {
    const glyph = glyphOf(segment);
    if (glyph !== null) yield glyph;
  }
}

// What every terminal draws in the columns that we count: letters with their marks, and the scripts of East Asia. Of
// emoji and joined characters each terminal has its own opinion.
const SURE =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}\p{P}\p{S}]\p{M}*)$/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u;
const sure = new Map<string, boolean>();

/** Whether terminals agree on how many columns this text of a cell takes. */
export function hasCertainWidth(text: string): boolean {
  if (text.length === 1 && isSimple(text)) return true;
  const known = sure.get(text);
  if (known !== undefined) return known;
  const result = SURE.test(text) && !EMOJI.test(text);
  if (sure.size >= GLYPHS_MAX) sure.clear();
  sure.set(text, result);
  return result;
}
