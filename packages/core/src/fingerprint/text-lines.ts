// The lines of a text as positions: nothing is copied.
import { BLANK, kindOf } from './characters.ts';

/** A part of a text. Of a line, `from` is the first character that is not blank. */
export interface Span {
  from: number;
  to: number;
}

/** Returns the next line that is not blank, from `at` on. */
export function lineFrom(text: string, at: number): Span | undefined {
  let from = at;
  while (from < text.length && kindOf(text.charCodeAt(from)) === BLANK) from += 1;
  if (from >= text.length) return undefined;
  const newline = text.indexOf('\n', from);
  return { from, to: newline < 0 ? text.length : newline };
}

/** Tells whether a line begins at the left edge of its text. */
export function isFlush(text: string, { from }: Span): boolean {
  return from === 0 || text.charCodeAt(from - 1) === 0x0a;
}
