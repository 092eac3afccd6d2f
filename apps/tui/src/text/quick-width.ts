// Takes the place of `string-width` in the bundle, for Ink as well: the same answers, at once where there is no question.
// Half of the time Ink needs for a frame went into asking whether box and block characters are emoji; the first such
// question alone takes 25 ms.
import stringWidth, { type Options } from 'string-width';
import { isSimple } from './simple.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control sequences
const LOOKS = /\u001B\[[\d;]*m/g;

/** As `string-width`. */
// biome-ignore lint/style/noDefaultExport: it stands for a module that has one
export default function quickWidth(text: string, options?: Options): number {
  if (isSimple(text)) return text.length;
  if (options === undefined && text.includes('\u001B[')) {
    const plain = text.replaceAll(LOOKS, '');
    if (isSimple(plain)) return plain.length;
  }
  return stringWidth(text, options);
}
