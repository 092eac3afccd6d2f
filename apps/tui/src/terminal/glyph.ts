// The only way into a cell. Whatever the text contains, the terminal gets one visible grapheme in the columns reserved
// for it.

import { clean, HIDDEN, isSimple } from '@quarterdeck/views/text';
import stringWidth from 'string-width';
import { width } from '../text/width.ts';

/** One grapheme. */
export interface Glyph {
  readonly text: string;
  /** Maximum number of columns that any terminal may need. */
  readonly columns: number;
  /** Columns in Ink's layout. */
  readonly inkColumns: number;
}

/** Maximum number of cached glyphs. */
const GLYPHS_MAX = 4_096;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const glyphs = new Map<string, Glyph | null>();

/** Returns the glyph of a grapheme; null if it is invisible and has no width. */
function glyphOf(grapheme: string): Glyph | null {
  const known = glyphs.get(grapheme);
  if (known !== undefined) return known;
  const text = clean(grapheme);
  let glyph: Glyph | null = null;
  if (text !== '') {
    // Several replaced characters become one placeholder.
    const [first = HIDDEN] = text === grapheme ? [text] : [...graphemes.segment(text)].map(({ segment }) => segment);
    glyph = { text: first, columns: Math.max(1, width(first)), inkColumns: Math.max(1, stringWidth(first)) };
  }
  if (glyphs.size >= GLYPHS_MAX) glyphs.clear();
  glyphs.set(grapheme, glyph);
  return glyph;
}

/** Returns the glyphs of a text that is not simple, in order. */
export function* glyphsOf(text: string): Generator<Glyph> {
  for (const { segment } of graphemes.segment(text)) {
    const glyph = glyphOf(segment);
    if (glyph !== null) yield glyph;
  }
}

// Characters that every terminal draws in the same number of columns: letters with their marks, and East Asian scripts.
// Terminals disagree on emoji and joined characters.
const SURE =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}\p{P}\p{S}]\p{M}*)$/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u;
const sure = new Map<string, boolean>();

/** Returns whether terminals agree on the width of a cell's text. */
export function hasCertainWidth(text: string): boolean {
  if (text.length === 1 && isSimple(text)) return true;
  const known = sure.get(text);
  if (known !== undefined) return known;
  const result = SURE.test(text) && !EMOJI.test(text);
  if (sure.size >= GLYPHS_MAX) sure.clear();
  sure.set(text, result);
  return result;
}
