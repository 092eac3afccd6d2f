// Takes the place of `string-width` in the bundle, for Ink as well: the same answers, at once where there is no question.
// Half of the time Ink needs for a frame went into asking whether box and block characters are emoji.
import stringWidth, { type Options } from 'string-width';
import { isSimple } from './simple.ts';

/** As `string-width`. */
// biome-ignore lint/style/noDefaultExport: it stands for a module that has one
export default function quickWidth(text: string, options?: Options): number {
  return isSimple(text) ? text.length : stringWidth(text, options);
}
