// Replaces `string-width` in the bundle, for Ink too: the same results, without the emoji expression for simple text.
// Ink spent half the time of a frame on asking whether box and block characters are emoji; the first question takes 25
// ms.

import { isSimple } from '@quarterdeck/views/text';
import stringWidth, { type Options } from 'string-width';

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
