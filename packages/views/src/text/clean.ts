// Makes text from outside safe to print. Every string that is not from our own source passes through here;
// components/text.tsx enforces that.
import { isSimple } from './simple.ts';

// Controls, format and bidi characters, unpaired surrogates, private use, unassigned, line and paragraph separators,
// and invisible characters. One pass, so that no order of replacements matters.
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

// Maximum number of marks on one letter; more would extend over other rows.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;
const LEADING_MARKS = /^\p{M}+/u;

/** Placeholder for an invisible character. */
export const HIDDEN = '·';

function placeholder(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // Control pictures: ␀ for NUL, ␛ for ESC, ␉ for TAB.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  // Variation selectors. Terminals disagree on the width of a character with one.
  if (code === 0xfe0e || code === 0xfe0f) return '';
  return HIDDEN;
}

/**
 * Makes text harmless: one row, no control characters, nothing invisible, no change of direction. Replaced characters
 * become placeholders. Idempotent.
 */
export function clean(text: string): string {
  if (isSimple(text)) return text;
  return text.replaceAll(UNSAFE, placeholder).replaceAll(STACKED_MARKS, `$1${HIDDEN}`).replace(LEADING_MARKS, HIDDEN);
}

/** Like {@link clean}, but keeps the lines of the text. */
export function cleanLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map(clean);
}

/**
 * Renders JSON that is safe to print and parses to the same value: characters that {@link clean} would replace are
 * escaped.
 */
export function cleanJson(json: string): string {
  return json.replaceAll(UNSAFE, (character) =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, index) => {
          const unit = character.charCodeAt(index);
          return `\\u${unit.toString(16).padStart(4, '0')}`;
        }).join(''),
  );
}
