// The parts of a message that differ from one occurrence of an error to the next, by the rules of its fingerprint. As
// "@quarterdeck/core/message-parts" also for browsers.
import { isQuote } from './characters.ts';
import { FormScan } from './form-scan.ts';

/** Kinds of parts. `text` is the inside of quotes or the name of a user. */
export type PartKind = 'number' | 'address' | 'id' | 'path' | 'text';

/** A part of a message, in UTF-16 units. */
export interface MessagePart {
  readonly from: number;
  readonly to: number;
  readonly kind: PartKind;
}

const KINDS: Readonly<Record<string, PartKind>> = {
  '<num>': 'number',
  '<ip>': 'address',
  '<id>': 'id',
  '<mail>': 'id',
};

/** A path without quotes: of Unix, or with a drive. */
const isPath = (text: string, from: number): boolean =>
  text.charCodeAt(from) === 0x2f || (text.charCodeAt(from + 1) === 0x3a && text.charCodeAt(from + 2) === 0x5c);

/** The beginning of a mail address before its `@` at `at`. */
const MAILBOX = /[\w.%+-]*$/;

/**
 * Returns the parts in order, none inside another one. Each line of the text is read as the first line of an error is;
 * of a line of more than about 1,000 characters only the beginning.
 */
export function messageParts(text: string): MessagePart[] {
  const parts: MessagePart[] = [];
  const add = (from: number, to: number, placeholder: string): void => {
    let start = from;
    if (placeholder === '<mail>') start -= MAILBOX.exec(text.slice(Math.max(0, from - 64), from))?.[0].length ?? 0;
    // A number in the name of a mail address was found before the address.
    for (let last = parts.at(-1); last !== undefined && last.to > start; last = parts.at(-1)) {
      start = Math.min(start, last.from);
      parts.pop();
    }
    if (to <= start) return;
    const isQuoted = isQuote(text.charCodeAt(start - 1));
    parts.push({ from: start, to, kind: KINDS[placeholder] ?? (!isQuoted && isPath(text, start) ? 'path' : 'text') });
  };
  const scan = new FormScan(add);
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const to = newline < 0 ? text.length : newline;
    scan.begin(text);
    scan.line(from, to, false);
    from = to + 1;
  }
  return parts;
}
