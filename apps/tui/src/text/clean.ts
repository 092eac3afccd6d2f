// Text from outside must not be able to do anything to a terminal but be read. Every string that did not come from
// our own source passes through here on its way to the screen; see components/text.tsx, where that is enforced.
import { isSimple } from './simple.ts';

// Controls, format and bidi characters, unpaired surrogates, private use, unassigned; line and paragraph separators;
// and whatever renders as nothing. All in one pass, so that nothing depends on the order of replacements.
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

// More marks than any script stacks on one letter: they would climb out of their row.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;
const LEADING_MARKS = /^\p{M}+/u;

/** Stands for a character that has no picture of its own. */
export const HIDDEN = '·';

function placeholder(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // Control pictures: ␀ for NUL, ␛ for ESC, ␉ for TAB.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  // They choose between two looks of the character before them, and terminals disagree on the width of the result.
  if (code === 0xfe0e || code === 0xfe0f) return '';
  return HIDDEN;
}

/**
 * Makes text harmless: one row, no control characters, nothing invisible, no change of direction. What is replaced
 * stays visible as a placeholder. Cleaning twice changes nothing.
 */
export function clean(text: string): string {
  if (isSimple(text)) return text;
  return text.replaceAll(UNSAFE, placeholder).replaceAll(STACKED_MARKS, `$1${HIDDEN}`).replace(LEADING_MARKS, HIDDEN);
}

/** Like {@link clean}, but each line of the text stays a line. */
export function cleanLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map(clean);
}

/** JSON that is safe to print and still parses to the same value: what {@link clean} would replace is escaped. */
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
